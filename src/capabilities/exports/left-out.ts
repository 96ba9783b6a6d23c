import type { EntityManager } from 'typeorm';
import type { StoredValue } from '../../conditions/engine/index.js';
import type { ExportExtension } from '../../server/hooks.js';
import { byId, type ExportedForm } from './exported-form.js';
import type { ExportedRow } from './submission-pages.js';

/** Returns the fields that capabilities leave out. Undefined: the export has all personal data. */
export async function findLeftOut(
  manager: EntityManager,
  parts: readonly ExportExtension[],
  formId: number,
): Promise<ReadonlySet<number> | undefined> {
  const found: ReadonlySet<number>[] = [];
  for (const part of parts) {
    const fields = await part.findLeftOut?.(manager, formId);
    if (fields !== undefined) found.push(fields);
  }
  return found.length === 0 ? undefined : new Set(found.flatMap((fields) => [...fields]));
}

/** Leaves out the values of these fields, and the details of equal values, which may name the same file. */
export function leaveOut(submission: ExportedRow, fields: ReadonlySet<number>): void {
  const { values, detailOf } = submission;
  const isLeftOut = ([fieldId]: StoredValue) => fields.has(fieldId);
  const texts = new Set(values.filter(isLeftOut).map(([, , value]) => value));
  submission.values = values.filter((value) => !isLeftOut(value));
  submission.detailOf = (value) => (texts.has(value) ? undefined : detailOf(value));
}

/** Returns the form without these fields. Undefined: with all. */
export function withoutFields(form: ExportedForm, leftOut: ReadonlySet<number> | undefined): ExportedForm {
  if (leftOut === undefined) return form;
  return { ...form, ...byId(form.fields.filter(({ id }) => !leftOut.has(id))) };
}
