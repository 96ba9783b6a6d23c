import type { EntityManager } from 'typeorm';
import { DELETE_TRANSLATIONS, WRITE_TRANSLATIONS } from '../../forms/translation.statements.js';
import { compareDefinitions } from './definition-rows.js';
import type { StoredForm } from './export-form.js';
import { type FormDefinition, KEEPING_KEYS } from './form-definition.js';
import {
  DELETE_CONDITIONS,
  DELETE_LANGUAGE,
  DELETE_STEPS,
  ENTITY_DEFINITIONS,
  FIELDS,
  INSERT_CONDITIONS,
  INSERT_FORM,
  OPTIONS,
  RENUMBER_STEPS,
  RULES,
  STEPS,
  UPDATE_FORM,
} from './form-statements.js';
import { renumberSteps } from './match-steps.js';

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
  const { before, moved, removed } = stored === undefined ? NEW_FORM : stepsOf(stored, definition);
  const { entities, steps, fields, options, rules, conditions, translations } = compareDefinitions(
    before,
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

  // Steps get their new numbers first, so that the other statements find them by these. A removed step is deleted with the number
  // of the step before it, which tells the database where its submissions are then (S14). The order respects references: delete
  // everything that refers to a field before the field, and move fields to other steps and entities before deleting those.
  await write(RENUMBER_STEPS, moved);
  const owners = [...conditions.dropped, ...conditions.changed].map(({ owner }) => owner);
  // Only the code: the step and the entity of a dropped field keep their conditions.
  await write(DELETE_CONDITIONS, [...owners, ...fields.dropped.map(({ code }) => ({ code }))]);
  await write(RULES.delete, rules.dropped);
  await write(FIELDS.delete, fields.dropped);
  await write(OPTIONS.delete, options.dropped);
  await write(ENTITY_DEFINITIONS.update, entities.changed);
  await write(ENTITY_DEFINITIONS.insert, entities.added);
  await write(STEPS.update, steps.changed);
  await write(STEPS.insert, steps.added);
  await write(FIELDS.update, fields.changed);
  await write(FIELDS.insert, fields.added);
  await write(RENUMBER_STEPS, removed);
  await write(DELETE_STEPS, removed);
  await write(ENTITY_DEFINITIONS.delete, entities.dropped);
  await write(OPTIONS.update, options.changed);
  await write(OPTIONS.insert, options.added);
  await write(RULES.update, rules.changed);
  await write(RULES.insert, rules.added);
  await write(INSERT_CONDITIONS, conditionRows);
  await write(DELETE_TRANSLATIONS, translations.dropped);
  await write(WRITE_TRANSLATIONS, [...translations.changed, ...translations.added]);
  return { id: form.id, isChanged };
}

interface StepRow {
  readonly id: number;
  readonly step_number: number;
}

interface StepChanges {
  /** The stored form in the numbers of the definition. Undefined if there is no stored form. */
  readonly before: FormDefinition | undefined;
  /** The stored steps that get another number. */
  readonly moved: readonly StepRow[];
  /** The stored steps that the definition lacks, with the number that each step before them gets. */
  readonly removed: readonly StepRow[];
}

const NEW_FORM: StepChanges = { before: undefined, moved: [], removed: [] };

/** Steps that are the same keep their id, so that submissions stay on them (S14). */
function stepsOf({ definition: stored, stepIds }: StoredForm, definition: FormDefinition): StepChanges {
  const { renumbered: before, previousNumbers } = renumberSteps(stored, definition);
  const remaining = new Set(definition.steps.map(({ step_number }) => step_number));
  const rows = before.steps.map(({ step_number }, at) => ({ id: stepIds[at] as number, step_number }));
  return {
    before,
    moved: rows.filter(({ step_number }, at) => step_number !== stored.steps[at]?.step_number),
    removed: rows.flatMap(({ id, step_number }, at) =>
      remaining.has(step_number) ? [] : [{ id, step_number: previousNumbers[at] as number }],
    ),
  };
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
  opens_at,
  closes_at,
  closes_drafts,
  max_submissions,
  max_per_user,
  locale,
  ...others
}: FormDefinition) => [
  name,
  description,
  is_active,
  completion,
  access,
  proof_of_work ?? null,
  time_zone ?? null,
  opens_at ?? null,
  closes_at ?? null,
  closes_drafts ?? false,
  max_submissions ?? null,
  max_per_user ?? null,
  locale ?? null,
  ...KEEPING_KEYS.map((key) => others[key] ?? null),
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
  // The database refuses a language of the form into which it has translations.
  if (definition.locale !== stored.definition.locale)
    await manager.query(DELETE_LANGUAGE, [stored.id, definition.locale ?? null]);
  const isChanged = [name, ...others].some((value, at) => value !== old[at]);
  if (isChanged) await manager.query(UPDATE_FORM, [stored.id, name, ...others]);
  return { id: stored.id, isChanged };
}
