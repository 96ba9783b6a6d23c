import type { DataSource } from 'typeorm';
import type { Action, Operator } from '../../src/rules/index.js';
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

export interface FieldPlan extends Partial<
  Omit<Field, 'options' | 'conditions' | 'rules' | 'fieldType' | 'entity'>
> {
  readonly type?: string;
  readonly options?: readonly string[];
  readonly rules?: Readonly<Partial<Record<RuleKind, string>>>;
  /** The code of the field that the condition tests, the operator, the value, the action, and the group if any. */
  readonly conditions?: readonly (readonly [string, Operator, string, Action, group?: number])[];
}

export interface BuiltForm {
  readonly form: Form;
  readonly steps: readonly Step[];
  readonly fields: Readonly<Record<string, Field>>;
}

let forms = 0;

/** Writes a form to the database, as the administration panel does. Each step is an object of fields by code. */
export async function buildForm(
  dataSource: DataSource,
  plan: { form?: Partial<Form>; steps?: readonly Record<string, FieldPlan>[] } = {},
): Promise<BuiltForm> {
  forms += 1;
  return dataSource.transaction(async (manager) => {
    const types = new Map((await manager.find(FieldType)).map((type) => [type.name, type]));
    const form = await manager.save(
      manager.create(Form, { name: `Form ${forms}`, slug: `form-${forms}`, ...plan.form }),
    );
    const steps: Step[] = [];
    const fields: Record<string, Field> = {};
    for (const [index, fieldPlans] of (plan.steps ?? [{ name: {} }]).entries()) {
      const step = await manager.save(
        manager.create(Step, { formId: form.id, stepNumber: index + 1, title: `Step ${index + 1}` }),
      );
      steps.push(step);
      for (const [
        position,
        [code, { type = 'text', options = [], rules = {}, conditions: _, ...columns }],
      ] of Object.entries(fieldPlans).entries()) {
        const field = await manager.save(
          manager.create(Field, {
            formId: form.id,
            stepId: step.id,
            fieldTypeId: types.get(type)?.id,
            code,
            label: code,
            order: position + 1,
            ...columns,
          }),
        );
        fields[code] = field;
        for (const [order, value] of options.entries()) {
          await manager.save(manager.create(Option, { fieldId: field.id, label: value, value, order }));
        }
        for (const [kind, value] of Object.entries(rules) as [RuleKind, string][]) {
          await manager.save(manager.create(FieldRule, { fieldId: field.id, kind, value }));
        }
      }
    }
    for (const [code, { conditions = [] }] of (plan.steps ?? []).flatMap((step) => Object.entries(step))) {
      for (const [dependsOn, operator, value, action, groupNumber] of conditions) {
        await manager.save(
          manager.create(Condition, {
            formId: form.id,
            fieldId: fields[code]?.id,
            dependsOnFieldId: fields[dependsOn]?.id,
            operator,
            value,
            action,
            groupNumber,
          }),
        );
      }
    }
    return { form: await manager.findOneByOrFail(Form, { id: form.id }), steps, fields };
  });
}

/** Creates an entity and assigns the fields with these codes to it. By default, the entity is not repeatable. */
export async function buildEntity(
  { manager }: DataSource,
  { form, fields }: BuiltForm,
  plan: Partial<Omit<EntityDefinition, 'form' | 'fields'>> & { readonly name: string },
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
