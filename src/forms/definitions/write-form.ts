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
  STEPS,
  UPDATE_FORM,
} from './form-statements.js';

/** Makes the form what its definition says, writing only rows that differ; returns the form's id. */
export async function writeForm(
  manager: EntityManager,
  stored: StoredForm | undefined,
  definition: FormDefinition,
): Promise<number> {
  const formId = await writeOwnColumns(manager, stored, definition);
  const { entities, steps, fields, options, conditions } = compareDefinitions(stored?.definition, definition);
  const write = async (statement: string, rows: readonly object[]) => {
    if (rows.length === 0) return;
    const positioned = rows.map((row, position) => ({ ...row, position }));
    await manager.query(statement, [formId, JSON.stringify(positioned)]);
  };
  const conditionRows = [...conditions.changed, ...conditions.added].flatMap((field) =>
    field.conditions.map((condition) => ({ code: field.code, ...condition })),
  );

  // Nothing may refer to a field when it goes, and every field leaves a step or an entity before that goes.
  await write(DELETE_CONDITIONS, [...conditions.dropped, ...conditions.changed, ...fields.dropped]);
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
  await write(INSERT_CONDITIONS, conditionRows);
  return formId;
}

async function writeOwnColumns(
  manager: EntityManager,
  stored: StoredForm | undefined,
  { uuid, name, slug, description, is_active }: FormDefinition,
): Promise<number> {
  if (stored === undefined) {
    const parameters = [uuid ?? null, name, slug, description, is_active];
    const [inserted] = await manager.query<[{ id: number }]>(INSERT_FORM, parameters);
    return inserted.id;
  }
  const old = stored.definition;
  if (old.name !== name || old.description !== description || old.is_active !== is_active) {
    await manager.query(UPDATE_FORM, [stored.id, name, description, is_active]);
  }
  return stored.id;
}
