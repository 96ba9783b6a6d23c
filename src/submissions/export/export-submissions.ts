import type { DataSource } from 'typeorm';
import { type ExportFormat, writerOf } from './export-formats.js';
import type { ExportWriter } from './export-writer.js';
import { findExportedForm } from './exported-form.js';
import {
  type ExportedFile,
  type ExportedRow,
  type ExportFilter,
  submissionPages,
} from './submission-pages.js';

export type Export = ExportFilter & ExportFormat & { readonly slug: string };

interface Exported {
  /** How many submissions were written. */
  readonly count: number;
  readonly warnings: readonly string[];
}

/** How many characters are written at a time, at most one line more. */
const CHUNK = 2 ** 16;

/**
 * Writes the submissions of a form as of one moment, and waits whenever `write` does. Returns undefined where no form has the
 * slug. `noteFiles` is told of the files that values of each stand for. It must not wait for them, because the transaction
 * stays open.
 *
 * @throws ExportError before anything is written, where the format cannot hold what is stored
 */
export async function exportSubmissions(
  dataSource: DataSource,
  { slug, status, since, ...format }: Export,
  write: (text: string, count: number) => Promise<void>,
  noteFiles: (submission: ExportedRow, files: readonly ExportedFile[]) => Promise<void> = () =>
    Promise.resolve(),
): Promise<Exported | undefined> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('set transaction read only');
    const form = await findExportedForm(manager, slug);
    if (form === undefined) return undefined;
    const writer = writerOf(format, form);
    const pages = () => submissionPages(manager, form, { status, since });
    if (writer.check !== undefined) {
      for await (const page of pages()) page.forEach(writer.check);
    }
    let count = 0;
    if (writer.header !== '') await write(writer.header, count);
    for await (const page of pages()) {
      for (const [text, soFar] of chunksOf(page, writer)) await write(text, count + soFar);
      count += page.length;
      for (const submission of page) await noteFiles(submission, filesIn(submission));
    }
    return { count, warnings: writer.warnings?.() ?? [] };
  });
}

/** Lines by the chunk, because a submission with many records may be far longer in rows than it is stored. */
function* chunksOf(
  page: readonly ExportedRow[],
  { linesOf }: ExportWriter,
): Iterable<[text: string, count: number]> {
  let text = '';
  for (const [index, submission] of page.entries()) {
    for (const line of linesOf(submission)) {
      if (text.length >= CHUNK) {
        yield [text, index];
        text = '';
      }
      text += line;
    }
  }
  yield [text, page.length];
}

function filesIn({ values, files }: ExportedRow): ExportedFile[] {
  return values.flatMap(([, , value]) => files?.[value] ?? []);
}
