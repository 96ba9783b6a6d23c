import type { DataSource, EntityManager } from 'typeorm';
import type { Action, Operator } from '../../src/conditions/engine/index.js';
import {
  Condition,
  EntityDefinition,
  EntityRecord,
  Field,
  FieldRule,
  FieldType,
  Form,
  Option,
  type RuleKind,
  Step,
} from '../../src/entities.js';
import { Rows } from './rows.js';

export interface FieldPlan extends Partial<
  Omit<Field, 'options' | 'conditions' | 'rules' | 'fieldType' | 'entity'>
> {
  readonly type?: string;
  readonly options?: readonly string[];
  /** The options that exclude the others. */
  readonly exclusive?: readonly string[];
  /** Each rule has a value, or another field. */
  readonly rules?: Readonly<Partial<Record<RuleKind, string | (OtherField & { readonly days?: number })>>>;
  readonly conditions?: readonly ConditionPlan[];
}

interface OtherField {
  /** The code of the other field. */
  readonly field: string;
}

/** The code of the field tested, operator, value or the field to compare with, action. */
export type ConditionPlan = readonly [string, Operator, string | OtherField, Action, group?: number];

export interface EntityPlan extends Partial<Omit<EntityDefinition, 'form' | 'fields' | 'conditions'>> {
  readonly name: string;
  /** The codes of the entity's fields. */
  readonly of?: readonly string[];
  readonly conditions?: readonly ConditionPlan[];
}

export interface FormPlan {
  readonly form?: Partial<Form>;
  /** Each step is an object of fields by code. */
  readonly steps?: readonly Record<string, FieldPlan>[];
  /** The conditions of steps, by the number of the step. */
  readonly stepConditions?: Readonly<Record<number, readonly ConditionPlan[]>>;
  readonly entities?: readonly EntityPlan[];
}

export interface BuiltForm {
  readonly form: Form;
  readonly steps: readonly Step[];
  readonly fields: Readonly<Record<string, Field>>;
}

/** Writes a form to the database, as the administration panel does. */
export async function buildForm(dataSource: DataSource, plan: FormPlan = {}): Promise<BuiltForm> {
  const rows = new Rows(dataSource);
  const plans = plan.steps ?? [{ name: {} }];
  const needed = plans.flatMap((step) => Object.values(step).map(({ type = 'text' }) => type));
  const types = await fieldTypes(dataSource, needed);
  const formId = globalThis.worker.newId();
  rows.add(Form, { id: formId, name: `Form ${formId}`, slug: `form-${formId}`, ...plan.form });
  const steps = plans.map((fields, index) => ({
    id: rows.add(Step, { formId, stepNumber: index + 1, title: `Step ${index + 1}` }),
    fields: Object.entries(fields),
  }));
  const entities = (plan.entities ?? []).map(({ of = [], conditions = [], ...columns }) => ({
    id: rows.add(EntityDefinition, { formId, label: columns.name, ...columns }),
    of,
    conditions,
  }));
  const ids = new Map<string, number>();
  for (const { id: stepId, fields } of steps)
    for (const [index, [code, field]] of fields.entries()) {
      const { type = 'text', options = [], exclusive = [], rules: _, conditions: __, ...columns } = field;
      const entityId = entities.find(({ of }) => of.includes(code))?.id;
      const place = { formId, stepId, entityId, order: index + 1 };
      const fieldId = rows.add(Field, {
        ...place,
        fieldTypeId: types.get(type),
        code,
        label: code,
        ...columns,
      });
      ids.set(code, fieldId);
      for (const [order, value] of options.entries())
        rows.add(Option, { fieldId, label: value, value, order, isExclusive: exclusive.includes(value) });
    }
  const idOf = (code: string) => ids.get(code);
  for (const [code, { conditions = [], rules = {} }] of steps.flatMap(({ fields }) => fields)) {
    addConditions(rows, { formId, fieldId: idOf(code)! }, conditions, idOf);
    for (const [kind, value] of Object.entries(rules))
      rows.add(FieldRule, {
        ...{ fieldId: idOf(code)!, kind: kind as RuleKind },
        ...(typeof value === 'string'
          ? { value }
          : { otherFieldId: idOf(value.field), offsetDays: value.days }),
      });
  }
  for (const [number, conditions] of Object.entries(plan.stepConditions ?? {}))
    addConditions(rows, { formId, stepId: steps[Number(number) - 1]!.id }, conditions, idOf);
  for (const { id: entityId, conditions } of entities)
    addConditions(rows, { formId, entityId }, conditions, idOf);
  await rows.write();
  const fields = Object.fromEntries(rows.written(Field).map((field) => [field.code, field]));
  return { form: rows.written(Form)[0]!, steps: rows.written(Step), fields };
}

/** The ids of the types of fields, by the type's name. */
const typesOf = new WeakMap<DataSource, Map<string, number>>();

async function fieldTypes(dataSource: DataSource, needed: readonly string[]): Promise<Map<string, number>> {
  const known = typesOf.get(dataSource);
  if (known !== undefined && needed.every((name) => known.has(name))) return known;
  const types = new Map((await dataSource.manager.find(FieldType)).map(({ name, id }) => [name, id]));
  typesOf.set(dataSource, types);
  return types;
}

/** Gives a field, a step or an entity conditions. */
export async function buildConditions(
  { dataSource }: EntityManager,
  { form, fields }: BuiltForm,
  owner: Partial<Pick<Condition, 'fieldId' | 'stepId' | 'entityId'>>,
  conditions: readonly ConditionPlan[],
): Promise<void> {
  const rows = new Rows(dataSource);
  addConditions(rows, { ...owner, formId: form.id }, conditions, (code) => fields[code]?.id);
  await rows.write();
}

function addConditions(
  rows: Rows,
  owner: Partial<Condition>,
  conditions: readonly ConditionPlan[],
  idOf: (code: string) => number | undefined,
): void {
  for (const [dependsOn, operator, value, action, groupNumber] of conditions)
    rows.add(Condition, {
      ...owner,
      dependsOnFieldId: idOf(dependsOn),
      operator,
      ...(typeof value === 'string' ? { value } : { valueFieldId: idOf(value.field), value: '' }),
      action,
      groupNumber,
    });
}

/** Creates an entity and assigns the fields with these codes to it. By default it is not repeatable. */
export async function buildEntity(
  { manager }: Pick<DataSource, 'manager'>,
  { form, fields }: BuiltForm,
  plan: Omit<EntityPlan, 'of' | 'conditions'>,
  codes: readonly string[],
): Promise<EntityDefinition> {
  const entity = await manager.save(
    manager.create(EntityDefinition, { formId: form.id, label: plan.name, ...plan }),
  );
  const ids = codes.map((code) => fields[code]!.id);
  await manager.query('update fields set entity_id = $1 where id = any ($2)', [entity.id, ids]);
  return entity;
}

/** Creates records of a repeatable entity in a submission, as the administration panel does. Returns their ids. */
export async function buildRecords(
  dataSource: DataSource,
  formId: number,
  submissionUuid: string,
  count: number,
): Promise<number[]> {
  const { manager } = dataSource;
  const entity =
    (await manager.findOneBy(EntityDefinition, { formId, name: 'record' })) ??
    (await manager.save(
      manager.create(EntityDefinition, { formId, name: 'record', label: 'Record', isRepeatable: true }),
    ));
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const record = await manager.save(
      manager.create(EntityRecord, { submissionUuid, formId, entityId: entity.id }),
    );
    ids.push(record.id);
  }
  return ids;
}
