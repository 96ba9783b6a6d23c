import type { EntityManager } from 'typeorm';
import { compareDefinitions } from './definition-rows.js';
import type { StoredForm } from './export-form.js';
import type { FormDefinition } from './form-definition.js';
import {
  DELETE_CONDITIONS,
  ENTITIES,
  FIELDS,
  INSERT_CONDITIONS,
  INSERT_FORM,
  OPTIONS,
  RULES,
  STEPS,
  UPDATE_FORM,
} from './form-statements.js';

export interface WrittenForm {
  readonly id: number;
  /** Whether anything was written. The version of the form increases only with a change of published properties (F8). */
  readonly isChanged: boolean;
}

/** Creates or changes the form according to its definition. Writes only rows that differ. */
export async function writeForm(
  manager: EntityManager,
  stored: StoredForm | undefined,
  definition: FormDefinition,
): Promise<WrittenForm> {
  const form = await writeOwnColumns(manager, stored, definition);
  let { isChanged } = form;
  const { entities, steps, fields, options, rules, conditions } = compareDefinitions(
    stored?.definition,
    definition,
  );
  const write = async (statement: string, rows: readonly object[]) => {
    if (rows.length === 0) return;
    isChanged = true;
    const positioned = rows.map((row, position) => ({ ...row, position }));
    await manager.query(statement, [form.id, JSON.stringify(positioned)]);
  };
  const conditionRows = [...conditions.changed, ...conditions.added].flatMap(({ owner, conditions }) =>
    conditions.map((condition) => ({ ...owner, ...condition })),
  );

  // The order respects references: delete everything that refers to a field before the field, and move fields to other steps and
  // entities before deleting those.
  const owners = [...conditions.dropped, ...conditions.changed].map(({ owner }) => owner);
  // Only the code: the step and the entity of a dropped field keep their conditions.
  await write(DELETE_CONDITIONS, [...owners, ...fields.dropped.map(({ code }) => ({ code }))]);
  await write(RULES.delete, rules.dropped);
  await write(FIELDS.delete, fields.dropped);
  await write(OPTIONS.delete, options.dropped);
  await write(ENTITIES.update, entities.changed);
  await write(ENTITIES.insert, entities.added);
  await write(STEPS.update, steps.changed);
  await write(STEPS.insert, steps.added);
  await write(FIELDS.update, fields.changed);
  await write(FIELDS.insert, fields.added);
  await write(STEPS.delete, steps.dropped);
  await write(ENTITIES.delete, entities.dropped);
  await write(OPTIONS.update, options.changed);
  await write(OPTIONS.insert, options.added);
  await write(RULES.update, rules.changed);
  await write(RULES.insert, rules.added);
  await write(INSERT_CONDITIONS, conditionRows);
  return { id: form.id, isChanged };
}

/** The columns of a form that an import changes, in the order of the parameters of the statements. */
const ownColumns = ({
  name,
  description,
  is_active,
  completion,
  access,
  proof_of_work,
  time_zone,
}: FormDefinition) => [
  name,
  description,
  is_active,
  completion,
  access,
  proof_of_work ?? null,
  time_zone ?? null,
];

async function writeOwnColumns(
  manager: EntityManager,
  stored: StoredForm | undefined,
  definition: FormDefinition,
): Promise<WrittenForm> {
  const [name, ...others] = ownColumns(definition);
  if (stored === undefined) {
    const parameters = [definition.uuid ?? null, name, definition.slug, ...others];
    const [inserted] = await manager.query<[{ id: number }]>(INSERT_FORM, parameters);
    return { id: inserted.id, isChanged: true };
  }
  const old = ownColumns(stored.definition);
  const isChanged = [name, ...others].some((value, at) => value !== old[at]);
  if (isChanged) await manager.query(UPDATE_FORM, [stored.id, name, ...others]);
  return { id: stored.id, isChanged };
}
