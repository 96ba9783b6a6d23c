import type { DataSource } from 'typeorm';
import { type ExportFormat, writerOf } from './export-formats.js';
import { findExportedForm } from './exported-form.js';
import {
  type ExportedFile,
  type ExportedRow,
  type ExportFilter,
  submissionPages,
} from './submission-pages.js';

interface Export extends ExportFilter {
  readonly slug: string;
  readonly format: ExportFormat;
}

/**
 * Writes the submissions of a form as of one moment, and waits whenever `write` does. Returns how many there were;
 * undefined where no form has the slug. `noteFiles` is told of the files that values of each stand for. It must not wait for
 * them, because the transaction stays open.
 */
export async function exportSubmissions(
  dataSource: DataSource,
  { slug, format, ...filter }: Export,
  write: (text: string, count: number) => Promise<void>,
  noteFiles: (submission: ExportedRow, files: readonly ExportedFile[]) => Promise<void> = () =>
    Promise.resolve(),
): Promise<number | undefined> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('set transaction read only');
    const form = await findExportedForm(manager, slug);
    if (form === undefined) return undefined;
    const { header, lines } = writerOf[format](form);
    let count = 0;
    if (header !== '') await write(header, count);
    for await (const page of submissionPages(manager, form, filter)) {
      count += page.length;
      await write(lines(page), count);
      for (const submission of page) await noteFiles(submission, filesIn(submission));
    }
    return count;
  });
}

function filesIn({ values, files }: ExportedRow): ExportedFile[] {
  return values.flatMap(([, , value]) => files?.[value] ?? []);
}
