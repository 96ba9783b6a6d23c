import type { EntityManager } from 'typeorm';
import type { StoredForm } from './export-form.js';
import type { FormDefinition } from './form-definition.js';
import { type Report, shown } from './definition-error.js';

/** Reports what a definition may not do to the form that is in the database, or to the others there. */
export async function checkAgainstStored(
  manager: EntityManager,
  stored: StoredForm | undefined,
  definition: FormDefinition,
  report: Report,
): Promise<void> {
  await checkUuid(manager, stored, definition, report);
  if (stored === undefined) return;
  await checkFields(manager, stored, definition, report);
  await checkEntities(manager, stored, definition, report);
}

async function checkUuid(
  manager: EntityManager,
  stored: StoredForm | undefined,
  { uuid, slug }: FormDefinition,
  report: Report,
): Promise<void> {
  if (uuid === undefined || uuid === stored?.definition.uuid) return;
  if (stored !== undefined) {
    report(
      'uuid',
      `must be ${stored.definition.uuid}, which the form "${slug}" has, or be left out, but is "${uuid}"`,
    );
  }
  const [other] = await manager.query<{ slug: string }[]>('select slug from forms where uuid = $1', [uuid]);
  if (other !== undefined) report('uuid', `is the UUID of another form, "${other.slug}"`);
}

/** Stored values refer to their field and to its `is_repeatable`, which decides their key (V5). */
async function checkFields(
  manager: EntityManager,
  { id, definition: before }: StoredForm,
  after: FormDefinition,
  report: Report,
): Promise<void> {
  const paths = new Map<string, string>();
  for (const [step, { fields }] of after.steps.entries()) {
    for (const [field, { code }] of fields.entries()) paths.set(code, `steps[${step}].fields[${field}]`);
  }
  const repeatable = new Map(
    after.steps.flatMap(({ fields }) => fields.map((field) => [field.code, field.is_repeatable])),
  );
  const suspects = before.steps
    .flatMap(({ fields }) => fields)
    .filter(({ code, is_repeatable }) => repeatable.get(code) !== is_repeatable)
    .map(({ code }) => code);
  const held = await manager.query<{ code: string }[]>(
    `select code from fields
      where form_id = $1 and code = any ($2)
        and exists (select from submission_values where field_id = fields.id)
      order by id`,
    [id, suspects],
  );
  for (const { code } of held) {
    const path = paths.get(code);
    if (path === undefined) {
      report(`fields.${code}`, 'is not in the file, but the field holds stored values and cannot be dropped');
    } else {
      const value = String(!repeatable.get(code));
      report(
        `${path}.is_repeatable`,
        `must stay ${value}, because the field ${shown(code)} holds stored values`,
      );
    }
  }
}

async function checkEntities(
  manager: EntityManager,
  { id, definition: before }: StoredForm,
  after: FormDefinition,
  report: Report,
): Promise<void> {
  const kept = new Set(after.entities.map(({ name }) => name));
  const dropped = before.entities.map(({ name }) => name).filter((name) => !kept.has(name));
  if (dropped.length === 0) return;
  const held = await manager.query<{ name: string }[]>(
    `select name from entities
      where form_id = $1 and name = any ($2)
        and exists (select from entity_records where entity_id = entities.id)
      order by id`,
    [id, dropped],
  );
  for (const { name } of held) {
    report(
      `entities.${name}`,
      'is not in the file, but submissions have records of the entity and it cannot be dropped',
    );
  }
}
