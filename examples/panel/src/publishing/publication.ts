import type { EntityManager } from 'typeorm';
import type { PreparedEdit } from './prepared-edits.js';
import { renamed } from './renamed.js';
import type { Change, DefinedField, Definition, ServiceDefinitions } from './service-definitions.js';

/** The effects of publishing a prepared edit on the live form. */
export interface Publication {
  /** The definition to import, with the slug of the live form. */
  readonly definition: Definition;
  /** New codes and names of fields and entities that keep their ids. */
  readonly renames: readonly Rename[];
  readonly changes: readonly Change[];
  /** Why it cannot be published, in sentences. */
  readonly problems: readonly string[];
}

export interface Rename {
  readonly table: 'fields' | 'entities';
  readonly id: number;
  readonly from: string;
  readonly to: string;
}

interface Part {
  readonly id: number;
  readonly name: string;
  readonly inCopy: string | null;
  readonly isUsed: boolean;
}

/** The parts of the live form: their name now, their name in the copy, and whether submissions use them. */
const PARTS = {
  fields: `
    select live.id, live.code as name, copy.code as "inCopy",
           exists (select from submission_values where field_id = live.id) as "isUsed"
      from fields live left join json_to_recordset($2) as pair(live integer, copy integer) on pair.live = live.id
      left join fields copy on copy.id = pair.copy and copy.form_id = $3
     where live.form_id = $1 order by live.id`,
  entities: `
    select live.id, live.name, copy.name as "inCopy",
           exists (select from entity_records where entity_id = live.id) as "isUsed"
      from entities live left join json_to_recordset($2) as pair(live integer, copy integer) on pair.live = live.id
      left join entities copy on copy.id = pair.copy and copy.form_id = $3
     where live.form_id = $1 order by live.id`,
};

/** Plans the publication of an edit whose live form and copy exist. Writes nothing. */
export async function planPublication(
  service: ServiceDefinitions,
  manager: EntityManager,
  { formId, copyId, parts, slug, copySlug }: PreparedEdit,
): Promise<Publication> {
  const live = await service.find(manager, slug ?? '');
  const copy = await service.find(manager, copySlug ?? '');
  if (live === undefined || copy === undefined)
    throw new Error('The form or its copy has just been deleted.');
  const read = (table: Rename['table']) => {
    const pairs = parts[table].map(([copy, live]) => ({ copy, live }));
    return manager.query<Part[]>(PARTS[table], [formId, JSON.stringify(pairs), copyId]);
  };
  const [fields, entities] = [await read('fields'), await read('entities')];
  const renames = [...renamesOf('fields', fields), ...renamesOf('entities', entities)];
  const names = (table: Rename['table']) =>
    new Map(renames.filter((one) => one.table === table).map(({ from, to }) => [from, to]));
  const withNames = renamed(live, new Map(), names('entities'));
  const aligned = renamed(withNames, names('fields'), new Map());
  const isUsed = ({ isUsed }: Part) => isUsed;
  const definition = keepUsed(service, aligned, ofLive(copy, live), {
    codes: new Set(fields.filter(isUsed).map(({ name, inCopy }) => inCopy ?? name)),
    entities: new Set(entities.filter(isUsed).map(({ name, inCopy }) => inCopy ?? name)),
  });
  const namesChanged = renames
    .filter(({ table }) => table === 'entities')
    .map(({ from, to }) => ({
      kind: 'breaking' as const,
      path: `entities.${to}`,
      message: `The entity "${from}" was renamed to "${to}".`,
    }));
  return {
    definition,
    renames,
    changes: [...namesChanged, ...service.compare(withNames, definition, aligned)],
    problems: [...takenNames('code', fields), ...takenNames('name', entities)],
  };
}

function renamesOf(table: Rename['table'], parts: readonly Part[]): Rename[] {
  return parts.flatMap(({ id, name, inCopy }) =>
    inCopy === null || inCopy === name ? [] : [{ table, id, from: name, to: inCopy }],
  );
}

/** The slug, the UUID and whether the form is active are not prepared, but changed on the live form. */
function ofLive(copy: Definition, { slug, uuid, is_active }: Definition): Definition {
  return { ...copy, slug, is_active, ...(uuid !== undefined && { uuid }) };
}

/** A part that the copy has lost keeps its name until it is published, so no other part can take the name. */
function takenNames(what: string, parts: readonly Part[]): string[] {
  const kept = new Set(parts.filter(({ inCopy }) => inCopy === null).map(({ name }) => name));
  return parts
    .filter(({ name, inCopy }) => inCopy !== null && inCopy !== name && kept.has(inCopy))
    .map(
      ({ name, inCopy }) =>
        `“${name}” cannot get the ${what} “${inCopy}”, because the live form has another part with it, which was removed here. ` +
        `Choose another ${what}.`,
    );
}

interface Used {
  readonly codes: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
}

/**
 * Fields with values and entities with records cannot be deleted. Fields that were removed from the copy are retired in the live form
 * instead, and entities stay, without fields that ask for records.
 */
function keepUsed(
  service: ServiceDefinitions,
  before: Definition,
  after: Definition,
  used: Used,
): Definition {
  const codes = new Set(after.steps.flatMap(({ fields }) => fields).map(({ code }) => code));
  const names = new Set(after.entities.map(({ name }) => name));
  const keptEntities = before.entities
    .filter(({ name }) => used.entities.has(name) && !names.has(name))
    .map(({ min_records: _, ...entity }) => ({ ...entity, conditions: [] }));
  const entities = [...after.entities, ...keptEntities];
  const hasEntity = (name: string) => entities.some((entity) => entity.name === name);
  const newSteps = service.matchSteps(before, after);
  const retired = new Map<number, DefinedField[]>();
  for (const step of before.steps) {
    const number = (newSteps.get(step) ?? after.steps.at(-1))?.step_number ?? 0;
    for (const { entity, computed: _, ...field } of step.fields) {
      if (!used.codes.has(field.code) || codes.has(field.code)) continue;
      // The fields to which its formula, conditions and rules refer may be gone.
      const rules = field.rules.filter(({ other_field }) => other_field === undefined);
      const kept = { ...field, retired: true, conditions: [], rules };
      const list = retired.get(number) ?? [];
      list.push(entity !== undefined && hasEntity(entity) ? { ...kept, entity } : kept);
      retired.set(number, list);
    }
  }
  return {
    ...after,
    entities,
    steps: after.steps.map((step) => ({
      ...step,
      fields: [...step.fields, ...(retired.get(step.step_number) ?? [])],
    })),
  };
}

/**
 * Gives options of fields with places the values that they have in the copy, so that the import finds them, and submissions still hold them. Deletes
 * those that the copy has lost first, because another option may have got their value.
 */
export async function renameOptions(manager: EntityManager, { parts }: PreparedEdit): Promise<void> {
  const pairs = JSON.stringify((parts.options ?? []).map(([copy, live]) => ({ copy, live })));
  const pair = 'json_to_recordset($1) as pair(copy integer, live integer)';
  await manager.query(
    `delete from options using ${pair} where options.id = pair.live and pair.copy not in (select id from options)`,
    [pairs],
  );
  await manager.query(
    `update options set value = copy.value from ${pair} join options copy on copy.id = pair.copy
      where options.id = pair.live and options.value <> copy.value`,
    [pairs],
  );
}

/** Renames parts that keep their id, so that the import finds them by name. One statement, because two can swap their names. */
export async function rename(manager: EntityManager, renames: readonly Rename[]): Promise<void> {
  for (const [table, column] of [
    ['fields', 'code'],
    ['entities', 'name'],
  ] as const) {
    const rows = renames.filter((one) => one.table === table);
    if (rows.length === 0) continue;
    await manager.query(
      `update ${table} set ${column} = wanted."to" from json_to_recordset($1) as wanted(id integer, "to" text)
        where ${table}.id = wanted.id`,
      [JSON.stringify(rows)],
    );
  }
}
