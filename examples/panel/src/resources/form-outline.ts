import type { ActionContext, ActionRequest, BaseRecord, RecordActionResponse } from 'adminjs';
import { EntityDefinition, Field, FieldType, Form, Step } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import type { DataSource, EntityManager, QueryFailedError } from 'typeorm';
import { type ConditionCells, conditionSentences } from '../components/condition-sentences.js';
import { computedInWords } from '../components/formulas.js';
import { ENTITY_NAMES, proposedName } from '../components/names.js';
import type { Arrangement, FormOutlineJson } from '../components/outline/form-outline-json.js';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { lockUnchanged } from '../adapter/lock-form.js';
import { shownType } from '../components/shown-types.js';
import { HttpError } from '../errors.js';
import { optionsOf } from './components-of-fields.js';
import { limitsOf, placesOf } from './limits.js';
import { testedStepsOf } from './tested-fields.js';

/** The data of the page of a form, and the actions that add steps and repeating groups, and move steps and fields. */
export function formOutline(dataSource: DataSource) {
  const withOutline = async (response: RecordActionResponse): Promise<RecordActionResponse> => {
    const { id } = response.record.params as Form;
    response.record.params['outline'] = JSON.stringify(await outlineOf(dataSource.manager, id));
    return response;
  };

  const arrange = async (
    request: ActionRequest,
    _: unknown,
    context: ActionContext,
  ): Promise<RecordActionResponse> => {
    const record = context.record as BaseRecord;
    if (request.method === 'post') {
      const wanted = arrangementOf(request.payload ?? {});
      await asSignedIn(dataSource, context, (manager) =>
        arrangeForm(manager, Number(record.id()), wanted),
      ).catch((error: unknown) => {
        throw hasAnswers(error) ? new HttpError(409, HAS_ANSWERS) : error;
      });
    }
    return withOutline({ record: record.toJSON(context.currentAdmin) });
  };

  const adding =
    (append: (manager: EntityManager, formId: number, title: string) => Promise<void>) =>
    async (request: ActionRequest, _: unknown, context: ActionContext): Promise<RecordActionResponse> => {
      const record = context.record as BaseRecord;
      if (request.method === 'post') {
        const title = titleOf(request.payload ?? {});
        await asSignedIn(dataSource, context, async (manager) => {
          const formId = Number(record.id());
          // Locked, so that two steps do not get the same number, and two groups not the same name.
          await manager.findOneOrFail(Form, { where: { id: formId }, lock: { mode: 'pessimistic_write' } });
          await append(manager, formId, title);
        });
      }
      return withOutline({ record: record.toJSON(context.currentAdmin) });
    };

  return { withOutline, arrange, addStep: adding(appendStep), addGroup: adding(addGroup) };
}

async function outlineOf(manager: EntityManager, formId: number): Promise<FormOutlineJson> {
  const form = await manager.findOneByOrFail(Form, { id: formId });
  const { id, slug, version, updatedBy, updatedAt, keepCompletedDays, keepDraftsDays, keepPersonalDays } =
    form;
  const steps = await manager.find(Step, {
    where: { formId },
    relations: { conditions: true },
    order: { stepNumber: 'asc', conditions: { id: 'asc' } },
  });
  const entities = await manager.find(EntityDefinition, {
    where: { formId },
    relations: { conditions: true },
    order: { id: 'asc', conditions: { id: 'asc' } },
  });
  const fields = await manager.find(Field, {
    where: { formId },
    relations: { fieldType: true, conditions: true },
    order: { order: 'asc', id: 'asc', conditions: { id: 'asc' } },
  });
  const tested = await testedStepsOf(manager, formId);
  const inWords = (conditions: readonly ConditionCells[]) => conditionSentences(conditions, tested);
  const places = await placesOf(manager, formId);
  const fieldTypes = await manager.find(FieldType, { order: { id: 'asc' } });
  return {
    ...{ id, slug, version, updatedBy, updatedAt: updatedAt.toISOString() },
    limits: await limitsOf(manager, form),
    keeping: { keepCompletedDays, keepDraftsDays, keepPersonalDays },
    steps: steps.map((step) => ({
      id: step.id,
      title: step.title,
      conditions: inWords(step.conditions),
      fields: fields
        .filter(({ stepId }) => stepId === step.id)
        .map(
          ({
            id,
            code,
            label,
            fieldType,
            entityId,
            isRequired,
            isPersonal,
            retiredAt,
            computed,
            conditions,
          }) => ({
            ...{ id, code, label: plainText(label), isRequired, isPersonal, isRetired: retiredAt !== null },
            type: shownType(fieldType).words,
            icon: shownType(fieldType).icon,
            entityId,
            computed: computedInWords(computed, tested),
            conditions: inWords(conditions),
            places: places.get(id) ?? '',
          }),
        ),
    })),
    entities: entities.map(({ conditions, ...entity }) => ({
      ...{ id: entity.id, name: entity.name, label: plainText(entity.label) },
      isRepeatable: entity.isRepeatable,
      ...{ minRecords: entity.minRecords, maxRecords: entity.maxRecords },
      conditions: inWords(conditions),
    })),
    fieldTypes: fieldTypes.map(({ id, name, component }) => ({
      ...{ id, name, component },
      options: optionsOf(component),
    })),
  };
}

/** @throws HttpError if the request names no arrangement */
function arrangementOf({ version, steps }: Record<string, unknown>): Arrangement {
  const isId = (id: unknown) => Number.isInteger(id);
  const isField = (field: unknown) => {
    const { id, entityId } = (field ?? {}) as Record<string, unknown>;
    return isId(id) && (entityId === null || isId(entityId));
  };
  const isStep = (step: unknown): step is Arrangement['steps'][number] => {
    const { id, fields } = (step ?? {}) as Record<string, unknown>;
    return isId(id) && Array.isArray(fields) && fields.every(isField);
  };
  if (isId(version) && Array.isArray(steps) && steps.every(isStep))
    return { version: Number(version), steps };
  throw new HttpError(
    400,
    'Send the version of the form, and its steps with the ids and groups of their fields.',
  );
}

/** @throws HttpError if the request has no title that a step or a group can have */
function titleOf({ title }: Record<string, unknown>): string {
  const text = typeof title === 'string' ? title.trim() : '';
  if (text !== '' && text.length <= 255) return text;
  throw new HttpError(400, 'Send a title of 1 to 255 characters.');
}

async function appendStep(manager: EntityManager, formId: number, title: string): Promise<void> {
  const last = await manager.maximum(Step, 'stepNumber', { formId });
  await manager.insert(Step, { formId, title, stepNumber: (last ?? 0) + 1 });
}

async function addGroup(manager: EntityManager, formId: number, label: string): Promise<void> {
  const fields = await manager.find(Field, { select: { code: true }, where: { formId } });
  const entities = await manager.find(EntityDefinition, { select: { name: true }, where: { formId } });
  const taken = new Set([...fields.map(({ code }) => code), ...entities.map(({ name }) => name)]);
  const name = proposedName(label, ENTITY_NAMES, taken);
  await manager.insert(EntityDefinition, { formId, name, label, isRepeatable: true });
}

/** Moves steps and fields of an unchanged form. Writes only rows that move, so an arrangement that is already there makes no version. */
async function arrangeForm(manager: EntityManager, formId: number, wanted: Arrangement): Promise<void> {
  if (!(await lockUnchanged(manager, formId, wanted.version))) {
    throw new HttpError(
      409,
      'Somebody has changed this form meanwhile. The page shows the form as it is now: repeat your change.',
    );
  }
  const steps = await manager.findBy(Step, { formId });
  const fields = await manager.findBy(Field, { formId });
  const entities = await manager.findBy(EntityDefinition, { formId });
  const wantedFields = wanted.steps.flatMap(({ fields }) => fields);
  const isGroup = (entityId: number | null) =>
    entityId === null || entities.some(({ id }) => id === entityId);
  if (
    !isSameSet(steps, wanted.steps) ||
    !isSameSet(fields, wantedFields) ||
    !wantedFields.every(({ entityId }) => isGroup(entityId))
  ) {
    throw new HttpError(400, 'Name each step and each field of the form once, and only its groups.');
  }
  // Deferred, so that steps can swap their numbers.
  await manager.query('set constraints all deferred');
  for (const [index, { id, fields: ofStep }] of wanted.steps.entries()) {
    const stepNumber = index + 1;
    if (steps.find((step) => step.id === id)?.stepNumber !== stepNumber) {
      await manager.update(Step, { id }, { stepNumber });
    }
    for (const [position, { id: fieldId, entityId }] of ofStep.entries()) {
      const order = position + 1;
      const before = fields.find((field) => field.id === fieldId);
      const isMoved = before?.stepId !== id || before.order !== order;
      if (isMoved) await manager.update(Field, { id: fieldId }, { stepId: id, order });
      if (before?.entityId === entityId) continue;
      const isRepeatable = entities.some((entity) => entity.id === entityId && entity.isRepeatable);
      await manager.update(Field, { id: fieldId }, { entityId, isRepeatable });
    }
  }
}

interface Identified {
  readonly id: number;
}

function isSameSet(rows: readonly Identified[], wanted: readonly Identified[]): boolean {
  const given = new Set(wanted.map(({ id }) => id));
  return wanted.length === rows.length && rows.every(({ id }) => given.has(id));
}

const HAS_ANSWERS =
  'The field has answers, so it can neither enter nor leave a repeating group. Add a new field, and retire this one.';

/** Whether the database has refused to change `is_repeatable` of a field with values. */
function hasAnswers(error: unknown): boolean {
  const { constraint } = ((error as Partial<QueryFailedError>).driverError ?? {}) as { constraint?: string };
  return constraint === 'submission_values_field_id_form_id_is_repeatable_fkey';
}
