import { pick } from '../../forms/extends-form.js';
import { SUBMISSION_EXTENSION } from '../../submissions/entities/submission.js';
import { presentRecords, presentSubmission, presentValue } from '../../submissions/submission.presenter.js';
import { type CsvOptions, csvWriter } from './csv-writer.js';
import type { ExportWriter } from './export-writer.js';
import { showValues } from './names.js';
import type { ExportedForm } from './exported-form.js';
import type { ExportedColumns, ExportedRow } from './submission-pages.js';

export type ExportFormat = { readonly format: 'ndjson' } | ({ readonly format: 'csv' } & CsvOptions);

export function writerOf(format: ExportFormat, form: ExportedForm, columns: ExportedColumns): ExportWriter {
  return format.format === 'csv' ? csvWriter(form, format, columns) : ndjsonWriter(form, columns);
}

/**
 * Writes one submission per line, as in a response of the API, and adds the email address of its user. If submissions have a shown
 * form, each value has the label of its field and the labels of its options too. A value of a hidden field is marked (X1).
 */
function ndjsonWriter(form: ExportedForm, { withPersonal }: ExportedColumns): ExportWriter {
  const codes = new Map(form.fields.map(({ id, code }) => [id, code]));
  const showIn = showValues();
  const line = (submission: ExportedRow) => {
    const { is_test, begun_version, completed_version, completed_at, anonymized_at, user_email } = submission;
    const values = submission.values.map((stored) => {
      const [fieldId, entityRecordId, value] = stored;
      const presented = presentValue(fieldId, codes.get(fieldId) ?? '', value, entityRecordId);
      const field = submission.shown?.fieldsById.get(fieldId);
      if (field !== undefined) Object.assign(presented, { label: field.label, shown: showIn(field)(value) });
      const detail = submission.detailOf(value);
      const isHidden = submission.hidden.has(stored);
      return Object.assign(
        presented,
        detail && { [detail.key]: detail.content },
        isHidden && { hidden: true },
      );
    });
    const records = presentRecords(form, submission.records);
    const extension = pick(submission, SUBMISSION_EXTENSION);
    const more = { is_test, begun_version, completed_version, ...extension };
    // A property that is undefined is no key in JSON.
    const personal = withPersonal ? { user_email } : { meta: undefined };
    const rest = { completed_at, anonymized_at, ...personal, values, records };
    return `${JSON.stringify(Object.assign(presentSubmission(submission), more, rest))}\n`;
  };
  return { header: '', linesOf: (submission) => [line(submission)] };
}
