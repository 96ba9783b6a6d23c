import { plainText } from 'formtrail-session/markup';
import type { EntityManager } from 'typeorm';
import {
  EntityDefinition,
  EntityRecord,
  Field,
  File,
  Form,
  FormVersion,
  listReader,
  Submission,
  SubmissionValue,
} from 'formtrail-entities';
import type {
  Answer,
  AnsweredFile,
  AnswerGroup,
  AnswersOfSubmission,
  StepAnswers,
} from '../components/answers.js';
import { fileAddress, isReadable } from '../files.js';
import { languageName } from '../components/languages.js';
import { heldBy } from './components-of-fields.js';
import { type FindText, submissionTexts } from './submission-texts.js';

/** Values of a checkbox without options (J6). */
const TICKED_WORD = /^(true|yes|on|1)$/i;
const UNTICKED_WORD = /^(false|no|off|0)$/i;

/** A field as a person saw it. */
interface ShownField {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly component: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly step: { readonly id: number; readonly title: string };
  readonly isRetired: boolean;
  readonly isPersonal: boolean;
  /** The name of the entity whose records have an answer each. Null: the submission has one. */
  readonly entity: string | null;
}

interface KeptField extends Pick<ShownField, 'id' | 'code' | 'label' | 'options'> {
  readonly field_type: { readonly component: string };
  readonly entity?: string | null;
  readonly is_repeatable?: boolean;
}

/** The parts of a kept schema that the panel shows (N3). */
interface KeptSchema {
  readonly data: {
    /** Undefined: the version was kept before forms had languages. */
    readonly locale?: string | null;
    readonly steps: readonly {
      readonly id: number;
      readonly title: string;
      readonly fields: readonly KeptField[];
    }[];
    readonly entities: readonly { readonly name: string; readonly label: string }[];
  };
}

/**
 * Returns the answers of a submission with the labels of the version that was completed, in the language that they were given in. A
 * draft, and a version that was not kept, get the labels of today.
 */
export async function answersOf(
  manager: EntityManager,
  submissionUuid: string,
  hasStorage: boolean,
): Promise<AnswersOfSubmission> {
  const submission = await manager.findOneByOrFail(Submission, { uuid: submissionUuid });
  const { formId, completedVersion, anonymizedAt } = submission;
  const form = await manager.findOneByOrFail(Form, { id: formId });
  const kept =
    completedVersion === null
      ? null
      : await manager.findOneBy(FormVersion, { formId, version: completedVersion });
  const schema = readSchema(kept?.schema);
  const findText = await submissionTexts(manager, {
    ...{ formId, locale: submission.locale },
    version: schema === undefined ? null : completedVersion,
    own: (schema === undefined ? form.locale : schema.locale) ?? null,
  });
  const fields = (await shownFields(manager, formId, schema)).map((field) => translated(field, findText));
  const values = await manager.findBy(SubmissionValue, { submissionUuid });
  const valueAt = new Map(values.map((value) => [`${value.fieldId} ${value.entityRecordId}`, value]));
  const hidden = new Set(submission.hiddenValues);
  const files = new Map(
    (await manager.findBy(File, { submissionUuid })).map((file) => [
      `${file.fieldId} file:${file.uuid}`,
      file,
    ]),
  );
  const isDeleted = (field: ShownField, entity: string | null) =>
    anonymizedAt !== null && field.isPersonal && !field.isRetired && field.entity === entity;
  const answerTo = (field: ShownField, recordId: number | null, entity: string | null): Answer | null => {
    const stored = valueAt.get(`${field.id} ${recordId}`);
    if (stored === undefined)
      return isDeleted(field, entity)
        ? { ...questionOf(field), value: '', file: null, isHidden: false, isDeleted: true }
        : null;
    const { value, recordKey } = stored;
    const isHidden = hidden.has(recordKey === 0 ? String(field.id) : `${field.id}.${recordKey}`);
    const file = answeredFile(files.get(`${field.id} ${value}`), hasStorage);
    return { ...questionOf(field), value: shownValue(field, value), file, isHidden, isDeleted: false };
  };

  // A step that the schema has keeps the title that it has there, because the fields of today follow.
  const steps = new Map<number, StepAnswers>();
  for (const { step } of fields) {
    if (steps.has(step.id)) continue;
    const ofStep = fields.filter((field) => field.step.id === step.id);
    steps.set(step.id, {
      title: step.title,
      answers: ofStep.flatMap((field) => answerTo(field, null, null) ?? []),
    });
  }
  const groups = (await recordsByEntity(manager, submissionUuid, schema, findText)).map(
    ({ name, title, records }): AnswerGroup => {
      const answered = fields.filter(
        (field) => isDeleted(field, name) || records.some((id) => valueAt.has(`${field.id} ${id}`)),
      );
      return {
        title,
        questions: answered.map(questionOf),
        records: records.map((id) => answered.map((field) => answerTo(field, id, name))),
      };
    },
  );
  return {
    versions: versionsOf(submission, form.version, schema !== undefined),
    language: submission.locale && languageName(submission.locale),
    anonymizedAt: anonymizedAt?.toISOString() ?? null,
    steps: [...steps.values()].filter(({ answers }) => answers.length > 0),
    groups,
  };
}

/** Returns undefined if another program has written something else in place of the schema. The labels of today are shown then. */
function readSchema(kept: unknown): KeptSchema['data'] | undefined {
  const { data } = (kept ?? {}) as Partial<KeptSchema>;
  const isField = (field: unknown) => {
    const { id, options, field_type } = (field ?? {}) as Partial<KeptField>;
    return typeof id === 'number' && Array.isArray(options) && typeof field_type?.component === 'string';
  };
  const isStep = (step: Partial<KeptSchema['data']['steps'][number]> | null) =>
    Array.isArray(step?.fields) && step.fields.every(isField);
  return Array.isArray(data?.steps) && data.steps.every(isStep) && Array.isArray(data.entities)
    ? data
    : undefined;
}

const questionOf = ({ code, label, isRetired, isPersonal }: ShownField) => ({
  ...{ code, isRetired, isPersonal },
  label: plainText(label) || code,
});

/** Returns the fields in the order of the form. Fields that the schema lacks follow, as they are today. */
async function shownFields(
  manager: EntityManager,
  formId: number,
  schema: KeptSchema['data'] | undefined,
): Promise<ShownField[]> {
  const today = await manager.find(Field, {
    where: { formId },
    relations: { step: true, fieldType: true, options: true, entity: true },
    order: { step: { stepNumber: 'asc' }, order: 'asc', id: 'asc' },
  });
  const personal = new Set(
    today
      .filter(({ isPersonal, fieldType }) => isPersonal && heldBy(fieldType.component) !== 'nothing')
      .map(({ id }) => id),
  );
  const kept = schema?.steps.flatMap(({ fields, ...step }) =>
    fields.map(({ field_type, entity = null, is_repeatable, ...field }): ShownField => ({
      ...field,
      ...{ step, component: field_type.component, isRetired: false, isPersonal: personal.has(field.id) },
      entity: is_repeatable === true ? entity : null,
    })),
  );
  const inUse = new Set(
    kept?.map(({ id }) => id) ?? today.filter((field) => field.retiredAt === null).map(({ id }) => id),
  );
  const fields = today.map(({ id, code, label, fieldType, options, step, ...field }): ShownField => ({
    ...{ id, code, label, options, step },
    component: fieldType.component,
    isRetired: !inUse.has(id),
    isPersonal: personal.has(id),
    entity: field.isRepeatable ? (field.entity?.name ?? null) : null,
  }));
  return [
    ...(kept ?? fields.filter(({ isRetired }) => !isRetired)),
    ...fields.filter(({ isRetired }) => isRetired),
  ];
}

const translated = ({ step, ...field }: ShownField, findText: FindText): ShownField => ({
  ...field,
  label: findText(`field ${field.id}`, 'label', field.label),
  options: field.options.map(({ value, label }) => ({
    value,
    label: findText(`option ${field.id} ${value}`, 'label', label),
  })),
  step: { id: step.id, title: findText(`step ${step.id}`, 'title', step.title) },
});

/** Returns the ids of the records, in their order, with the name and the label of their entity. */
async function recordsByEntity(
  manager: EntityManager,
  submissionUuid: string,
  schema: KeptSchema['data'] | undefined,
  findText: FindText,
): Promise<{ name: string; title: string; records: number[] }[]> {
  const records = await manager.find(EntityRecord, {
    where: { submissionUuid },
    relations: { entity: true },
    order: { entityId: 'asc', id: 'asc' },
  });
  const labelOf = ({ name, label }: EntityDefinition) =>
    plainText(
      findText(
        `entity ${name}`,
        'label',
        schema?.entities.find((entity) => entity.name === name)?.label ?? label,
      ),
    );
  const groups = new Map<number, { name: string; title: string; records: number[] }>();
  for (const { id, entity, entityId } of records) {
    const group = groups.get(entityId) ?? { name: entity.name, title: labelOf(entity), records: [] };
    groups.set(entityId, group);
    group.records.push(id);
  }
  return [...groups.values()];
}

/** Shows chosen options by their labels, and a checkbox without options as Yes or No. Other values stay as they are. */
export function shownValue(
  { component, options }: Pick<ShownField, 'component' | 'options'>,
  value: string,
): string {
  const isList = heldBy(component) === 'options';
  if (isList && options.length === 0) {
    if (TICKED_WORD.test(value)) return 'Yes';
    return UNTICKED_WORD.test(value) ? 'No' : value;
  }
  const labels = new Map(options.map((option) => [option.value, plainText(option.label) || option.value]));
  const list = isList ? listReader(labels.keys())(value) : [value];
  if (list === undefined || list === 'several') return value;
  return list.map((one) => labels.get(one) ?? one).join(', ');
}

function answeredFile(file: File | undefined, hasStorage: boolean): AnsweredFile | null {
  if (file === undefined) return null;
  const { name, state } = file;
  if (!isReadable(state)) return { name, href: null, note: `This file is ${state}.` };
  if (!hasStorage) return { name, href: null, note: 'To download it, start the panel with FILES_URL.' };
  return { name, href: fileAddress(file), note: null };
}

function versionsOf(
  { begunVersion, completedVersion, status }: Submission,
  current: number,
  isKept: boolean,
): string {
  const begun =
    begunVersion === null ? 'Begun before versions were kept' : `Begun in version ${begunVersion}`;
  if (status === 'draft') return `${begun}. The form is in version ${current} now.`;
  const completed =
    completedVersion === null
      ? 'completed in an unknown version'
      : `completed in version ${completedVersion}`;
  return `${begun}, ${completed}.${isKept ? '' : ' The labels are those of today, because that version was not kept.'}`;
}
