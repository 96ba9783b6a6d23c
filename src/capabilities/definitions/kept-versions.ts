import type { EntityManager } from 'typeorm';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import type { ExtendedSchema } from '../../forms/dto/form-schema.response.js';
import { FormVersion } from '../../forms/entities/form-version.js';
import { presentSchema, withoutRetired } from '../../forms/form.presenter.js';
import { FIND_FORM_BY_SLUG, type WholeFormText } from '../../forms/form.statements.js';
import { parseForm } from '../../forms/parse-form.js';
import { compareForms } from './compare-forms.js';
import { readKeptSchema } from '../../forms/kept-schema.js';
import { toDefinition } from './export-form.js';
import type { FormChange } from './form-changes.js';

export interface FormVersionSummary {
  readonly version: number;
  readonly changed_at: string;
  /** The person who made the version, or null (N7). */
  readonly changed_by: string | null;
  /** The number of submissions that were completed in the version, without tests. */
  readonly completed: number;
  readonly is_current: boolean;
  /** Whether the schema of the version is kept (N3). The service may not have kept the current version. */
  readonly is_kept: boolean;
}

export interface VersionsOfForm {
  readonly formId: number;
  /** The current version and all kept versions, newest first. */
  readonly versions: readonly FormVersionSummary[];
  readonly currentSchema: ExtendedSchema;
}

const KEPT = `
  select version, changed_by, ${isoTimestampSql('changed_at')} as changed_at
    from form_versions where form_id = $1 order by version desc`;

const COMPLETED = `
  select completed_version as version, count(*)::float8 as completed
    from submissions where form_id = $1 and status = 'completed' and completed_version is not null and not is_test
   group by completed_version`;

export async function findVersions(manager: EntityManager, slug: string) {
  const [found] = await manager.query<WholeFormText[]>(FIND_FORM_BY_SLUG.text, [slug]);
  if (found === undefined) return undefined;
  const form = await parseForm(found);
  const kept = await manager.query<Pick<FormVersionSummary, 'version' | 'changed_by' | 'changed_at'>[]>(
    KEPT,
    [form.id],
  );
  const counts = await manager.query<{ version: number; completed: number }[]>(COMPLETED, [form.id]);
  const completed = new Map(counts.map((count) => [count.version, count.completed]));
  const { version, updated_by, updated_at } = form;
  const isKept = kept.some((one) => one.version === version);
  const current = { version, changed_by: updated_by, changed_at: updated_at };
  const versions = [...(isKept ? [] : [current]), ...kept].map((one) => ({
    version: one.version,
    changed_at: one.changed_at,
    changed_by: one.changed_by,
    completed: completed.get(one.version) ?? 0,
    is_current: one.version === version,
    is_kept: one.version !== version || isKept,
  }));
  return { formId: form.id, versions, currentSchema: presentSchema(withoutRetired(form)) };
}

/** Returns the schema of a version. Undefined: it was not kept, or its row holds no schema. */
export async function schemaOf(
  manager: EntityManager,
  { formId, versions, currentSchema }: VersionsOfForm,
  version: number,
): Promise<ExtendedSchema | undefined> {
  if (versions.some((one) => one.version === version && one.is_current)) return currentSchema;
  const kept = await manager.findOneBy(FormVersion, { formId, version });
  return readKeptSchema(kept?.schema);
}

/**
 * Compares two versions of a form. The ids of fields and steps tell which were renamed or moved, and which were deleted and created
 * again.
 */
export function compareSchemas(before: ExtendedSchema, after: ExtendedSchema): FormChange[] {
  const [oldCodes, codes] = [codesOf(before), codesOf(after)];
  const newCodes = new Map<string, string>();
  for (const [id, code] of oldCodes) {
    const newCode = codes.get(id);
    if (newCode !== undefined) newCodes.set(code, newCode);
  }
  const numbers = new Map(after.steps.map(({ id, step_number }) => [id, step_number]));
  const newNumbers = new Map<number, number>();
  for (const { id, step_number } of before.steps) {
    const newNumber = numbers.get(id);
    if (newNumber !== undefined) newNumbers.set(step_number, newNumber);
  }
  return compareForms(toDefinition(before), toDefinition(after), { newCodes, newNumbers });
}

/** The code of each field by its id. Conditions name retired fields too. */
function codesOf({ steps, entities }: ExtendedSchema): Map<number, string> {
  const fields = steps.flatMap(({ fields }) => fields);
  const conditions = [...steps, ...fields, ...entities].flatMap(({ conditions }) => conditions);
  return new Map([
    ...conditions.map((one) => [one.depends_on_field_id, one.depends_on_field_code] as const),
    ...fields.map(({ id, code }) => [id, code] as const),
  ]);
}

export interface LoggedVersion extends FormVersionSummary {
  /** False if the kept row holds no schema, because another program wrote it. The version is then compared with no other. */
  readonly is_readable: boolean;
  /** The version that `changes` starts from: the previous readable version. Null for the oldest. */
  readonly compared_with: number | null;
  readonly changes: readonly FormChange[];
}

/** Yields the versions of a form with their changes, newest first. Holds the schemas of two versions at a time. */
export async function* logVersions(
  manager: EntityManager,
  form: VersionsOfForm,
): AsyncGenerator<LoggedVersion> {
  let later: { readonly version: FormVersionSummary; readonly schema: ExtendedSchema } | undefined;
  let unreadable: LoggedVersion[] = [];
  for (const version of form.versions) {
    const schema = await schemaOf(manager, form, version.version);
    if (schema === undefined) {
      unreadable.push({ ...version, is_readable: false, compared_with: null, changes: [] });
      continue;
    }
    if (later !== undefined) {
      const changes = compareSchemas(schema, later.schema);
      yield { ...later.version, is_readable: true, compared_with: version.version, changes };
    }
    yield* unreadable;
    unreadable = [];
    later = { version, schema };
  }
  if (later !== undefined) yield { ...later.version, is_readable: true, compared_with: null, changes: [] };
  yield* unreadable;
}
