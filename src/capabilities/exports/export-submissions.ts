import type { DataSource, EntityManager } from 'typeorm';
import { type ExportFormat, writerOf } from './export-formats.js';
import type { HiddenValues } from '../../conditions/engine/index.js';
import type { ExportWriter } from './export-writer.js';
import { findExportedForm } from './exported-form.js';
import { HiddenInExports } from './hidden-in-exports.js';
import { Labels } from './labels.js';
import { findLeftOut, leaveOut, withoutFields } from './left-out.js';
import { ShownForms } from './shown-forms.js';
import type { ExportedPage, ExportExtension, FindDetail } from '../../server/hooks.js';
import { type ExportedRow, type ExportFilter, submissionPages } from './submission-pages.js';

export type Export = ExportFilter &
  ExportFormat & {
    readonly slug: string;
    /** How the server evaluates conditions, for the values of drafts. */
    readonly hiddenValues?: HiddenValues;
  };

interface ExportResult {
  /** The number of submissions that were written. */
  readonly count: number;
  readonly warnings: readonly string[];
}

/** Characters per write. A write exceeds this number by at most one line. */
const CHUNK = 2 ** 16;

/**
 * Writes the submissions of a form from one snapshot, and waits for each `write`. Returns undefined if no form has the slug.
 *
 * @throws ExportError before anything is written, if the format cannot represent a stored submission
 */
export async function exportSubmissions(
  dataSource: DataSource,
  { slug, status, since, from, to, includeTests, asShown = false, hiddenValues = 'keep', ...format }: Export,
  write: (text: string, count: number) => Promise<void>,
  parts: readonly ExportExtension[] = [],
): Promise<ExportResult | undefined> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('set transaction read only');
    const filter = { status, since, from, to, includeTests };
    const found = await findExportedForm(manager, slug);
    if (found === undefined) return undefined;
    const leftOut = await findLeftOut(manager, parts, found.id);
    const form = withoutFields(found, leftOut);
    const hidden = new HiddenInExports(manager, found, hiddenValues);
    const labels = new Labels(manager, parts);
    const shownForms = asShown ? new ShownForms(manager, form, labels) : undefined;
    const named = (await shownForms?.newest()) ?? (await labels.of(form, null));
    const columns = { withTests: includeTests === true, withPersonal: leftOut === undefined };
    const writer = writerOf(format, named, columns);
    const leavesHiddenOut = format.format === 'csv' && format.withHidden !== true;
    const components = new Set(form.fields.map(({ component }) => component));
    async function* pages() {
      for await (const page of submissionPages(manager, form, filter, columns)) {
        const uuids = page.map(({ uuid }) => uuid);
        const findDetail = await readDetails(manager, parts, { components, uuids });
        for (const submission of page) {
          submission.detailOf = (value) => findDetail(submission.uuid, value);
          // The conditions of a draft also read values that are left out.
          submission.hidden = await hidden.in(submission);
          if (leftOut !== undefined) leaveOut(submission, leftOut);
          if (leavesHiddenOut)
            submission.values = submission.values.filter((value) => !submission.hidden.has(value));
        }
        yield page;
      }
    }
    if (writer.check !== undefined) {
      for await (const page of pages()) page.forEach(writer.check);
    }
    let count = 0;
    if (writer.header !== '') await write(writer.header, count);
    for await (const page of pages()) {
      if (shownForms !== undefined)
        for (const submission of page)
          submission.shown = await shownForms.of(submission.completed_version, submission);
      for (const [text, soFar] of chunksOf(page, writer)) await write(text, count + soFar);
      count += page.length;
      for (const { values, detailOf } of page)
        for (const [, , value] of values) await detailOf(value)?.onWritten?.();
    }
    return { count, warnings: [...(writer.warnings?.() ?? []), ...(shownForms?.warnings() ?? [])] };
  });
}

/** Groups lines into chunks, because the rows of a submission with many records may be far longer than its stored values. */
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

/** Lets capabilities read the details of the values of a page, in the transaction of the export. */
async function readDetails(
  manager: EntityManager,
  parts: readonly ExportExtension[],
  page: ExportedPage,
): Promise<FindDetail> {
  const found: FindDetail[] = [];
  for (const part of parts) found.push((await part.readDetails?.(manager, page)) ?? (() => undefined));
  return (uuid, value) => {
    for (const find of found) {
      const detail = find(uuid, value);
      if (detail !== undefined) return detail;
    }
    return undefined;
  };
}
