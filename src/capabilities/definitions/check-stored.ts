import { Any, type EntityManager } from 'typeorm';
import { findDistribution } from '../../database/distribution.js';
import { EntityDefinition } from '../../forms/entities/entity-definition.js';
import { Field } from '../../forms/entities/field.js';
import { Form } from '../../forms/entities/form.js';
import { idsInUse } from '../../submissions/ids-in-use.js';
import { quote, type Report } from './definition-error.js';
import type { StoredForm } from './export-form.js';
import { fieldsOf, type FormDefinition, KEEPING_KEYS } from './form-definition.js';

/** Reports changes that the definition must not make to the stored form, and conflicts with other stored forms. */
export async function checkAgainstStored(
  manager: EntityManager,
  stored: StoredForm | undefined,
  definition: FormDefinition,
  report: Report,
): Promise<void> {
  await checkUuid({ manager, stored, definition, report });
  await checkTimeZone({ manager, stored, definition, report });
  await checkOneServer({ manager, stored, definition, report });
  if (stored === undefined) return;
  await checkFields({ manager, stored, definition, report });
  await checkEntities({ manager, stored, definition, report });
}

interface Check<Stored = StoredForm> {
  readonly manager: EntityManager;
  readonly stored: Stored;
  readonly definition: FormDefinition;
  readonly report: Report;
}

async function checkUuid({ manager, stored, definition, report }: Check<StoredForm | undefined>) {
  const { uuid, slug } = definition;
  const own = stored?.definition.uuid;
  if (uuid === undefined || uuid === own) return;
  if (own !== undefined)
    report(
      'uuid',
      `is "${uuid}", but the form "${slug}" has the UUID ${own}: use that UUID, or omit the key`,
    );
  const other = await manager.findOneBy(Form, { uuid });
  if (other !== null) report('uuid', `is the UUID of another form, "${other.slug}"`);
}

/** Reports what needs all submissions on one server. */
async function checkOneServer({ manager, definition, report }: Check<StoredForm | undefined>) {
  const limits = [
    ...(['opens_at', 'closes_at', 'max_submissions', 'max_per_user'] as const).filter(
      (key) => (definition[key] ?? null) !== null,
    ),
    ...fieldsOf(definition).flatMap(({ field, path }) =>
      field.options.flatMap(({ places }, index) =>
        (places ?? null) === null ? [] : [`${path}.options[${index}].places`],
      ),
    ),
  ];
  const keeping = KEEPING_KEYS.filter((key) => (definition[key] ?? null) !== null);
  if (definition.access !== 'public' && limits.length + keeping.length === 0) return;
  const { name } = await findDistribution(manager);
  if (name === undefined) return;
  const why = `because ${name} distributes the submissions, which then have no`;
  if (definition.access === 'public') report('access', `must be token, ${why} respondents`);
  for (const path of limits) report(path, `must be null, ${why} opening times and limits`);
  for (const path of keeping) report(path, `must be null, ${why} time after which they are deleted`);
}

/** Node.js knows the time zone, but the database server may have another version of the time zone database. */
async function checkTimeZone({ manager, stored, definition, report }: Check<StoredForm | undefined>) {
  const { time_zone } = definition;
  if (time_zone === undefined || time_zone === stored?.definition.time_zone) return;
  const known = await manager.query<unknown[]>(
    'select from pg_timezone_names where lower(name) = lower($1) limit 1',
    [time_zone],
  );
  if (known.length === 0)
    report('time_zone', `must be a time zone that the database server knows, but is ${quote(time_zone)}`);
}

/** A field with stored values must not be deleted, and its `is_repeatable`, which determines their keys, must not change (V5). */
async function checkFields({ manager, stored, definition: after, report }: Check) {
  const { id, definition: before } = stored;
  const fieldsByCode = new Map(fieldsOf(after).map((located) => [located.field.code, located]));
  const changed = fieldsOf(before)
    .map(({ field }) => field)
    .filter(({ code, is_repeatable }) => fieldsByCode.get(code)?.field.is_repeatable !== is_repeatable);
  if (changed.length === 0) return;
  const codes = changed.map(({ code }) => code);
  const found = await manager.find(Field, { where: { formId: id, code: Any(codes) }, order: { id: 'ASC' } });
  const ids = found.map((field) => field.id);
  const held = await idsInUse(manager, 'submission_values', 'field_id', ids);
  for (const { code, isRepeatable } of found.filter((field) => held.has(field.id))) {
    const path = fieldsByCode.get(code)?.path;
    if (path === undefined) {
      report(
        `fields.${code}`,
        'is not in the file, but the field cannot be deleted, because it holds stored values: keep it with "retired": true',
      );
    } else {
      const why = `because the field ${quote(code)} holds stored values`;
      report(`${path}.is_repeatable`, `must stay ${isRepeatable}, ${why}`);
    }
  }
}

async function checkEntities({ manager, stored, definition: after, report }: Check) {
  const { id, definition: before } = stored;
  const remaining = new Set(after.entities.map(({ name }) => name));
  const dropped = before.entities.map(({ name }) => name).filter((name) => !remaining.has(name));
  if (dropped.length === 0) return;
  const where = { formId: id, name: Any(dropped) };
  const found = await manager.find(EntityDefinition, { where, order: { id: 'ASC' } });
  const ids = found.map((entity) => entity.id);
  const withRecords = await idsInUse(manager, 'entity_records', 'entity_id', ids);
  for (const { name } of found.filter((entity) => withRecords.has(entity.id))) {
    const message =
      'is not in the file, but the entity cannot be deleted, because submissions have records of it';
    report(`entities.${name}`, message);
  }
}
