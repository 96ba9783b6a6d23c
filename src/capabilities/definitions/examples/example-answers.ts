import { type FieldState, runToCompletion, type StoredValue } from '../../../conditions/engine/index.js';
import { namedRecords, stepStates } from '../../../conditions/states/step-states.js';
import type { ExtendedField, ExtendedSchema } from '../../../forms/dto/form-schema.response.js';
import { ComparableAnswer } from '../../../forms/field-rules/rules-between-fields.js';
import { definitionOf, FILE_COMPONENT } from '../../../forms/field-types.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../../forms/published-form.js';
import { candidatesFor, spread } from './candidates.js';

/** Most records that an example has in addition to those that the form asks for. */
const MORE_RECORDS = 2;
/** Per cent of the optional fields that have an answer. */
const ANSWERED = 70;

/** Whether the form requires a file from the beginning. It cannot be completed without one. */
export const needsFile = ({ fields, rules }: PublishedForm) =>
  requiredFiles(placed(fields, rules.resolveStates([]), null)) > 0;

/** An answer as the service stores it. */
export interface Answer {
  readonly field_id: number;
  readonly value: string;
  readonly entity_record_id?: number;
}

/**
 * The answers of one invented submission, in the order in which a person gives them. A hidden field gets none, a visible required
 * field gets one. No answer makes a file required if another answer is possible, because there are no files.
 */
export class ExampleAnswers {
  private readonly values: StoredValue[] = [];
  private readonly records: [id: number, entityId: number][] = [];
  private readonly askedFields: ReadonlyMap<number, ExtendedField>;

  /** @param submission the number of the submission, from 0 */
  constructor(
    private readonly form: PublishedForm,
    private readonly submission: number,
  ) {
    const schema = JSON.parse(form.schemaBody.identity.bytes.toString()) as { data: ExtendedSchema };
    const fields = schema.data.steps.flatMap((step) => step.fields);
    this.askedFields = new Map(fields.map((field) => [field.id, field]));
  }

  /** Returns the first fields of a step, or all of them. `share` is between 0 and 1. */
  fieldsOf(stepNumber: number, share: number): readonly PublishedField[] {
    const fields = this.form.fields.filter((field) => field.stepNumber === stepNumber);
    return fields.slice(0, Math.ceil(fields.length * share));
  }

  /** Returns how many records of each entity of the fields are still to be created. */
  missingRecords(fields: readonly PublishedField[]) {
    const { form, records, submission } = this;
    const states = runToCompletion(stepStates(form, { values: this.valuesWith([]), records })).entities;
    return [...form.entitiesById.values()].flatMap((entity, index) => {
      const isAsked = fields.some((field) => field.entity === entity.name);
      if (!isAsked || states[index]?.isVisible !== true || this.recordsOf(entity).length > 0) return [];
      const more = spread({ submission, record: -1 }, entity.name) % (MORE_RECORDS + 1);
      return [{ entity, count: Math.min(entity.minRecords + more, entity.maxRecords) }];
    });
  }

  addRecord(id: number, entity: PublishedEntity): void {
    this.records.push([id, entity.id]);
  }

  /** Answers the fields that have no answer yet. */
  answer(fields: readonly PublishedField[]): Answer[] {
    return fields.flatMap((field) =>
      this.placesOf(field).flatMap((recordId) => this.answerField(field, recordId)),
    );
  }

  private placesOf({ entity, isRepeatable }: PublishedField): (number | null)[] {
    const ofRecords = isRepeatable ? this.form.entitiesByName.get(entity ?? '') : undefined;
    return ofRecords === undefined ? [null] : this.recordsOf(ofRecords);
  }

  private recordsOf(entity: PublishedEntity): number[] {
    return this.records.filter(([, entityId]) => entityId === entity.id).map(([id]) => id);
  }

  private answerField(field: PublishedField, recordId: number | null): Answer[] {
    if (this.values.some(([id, ofRecord]) => id === field.id && ofRecord === recordId)) return [];
    if (field.computed !== null) return [];
    const asked = this.askedFields.get(field.id);
    const states = this.statesWith();
    const state = states.find((state) => state.field === field && state.recordId === recordId);
    if (asked === undefined || state?.visible !== true) return [];
    const place = { submission: this.submission, record: this.records.findIndex(([id]) => id === recordId) };
    if (!state.required && spread(place, `${field.code} is answered`) % 100 >= ANSWERED) return [];
    const candidates = candidatesFor(asked, place).map((value) => this.meetingRules(field, value, recordId));
    const files = requiredFiles(states);
    const needsNoFile = (value: string) =>
      requiredFiles(this.statesWith([field.id, recordId, value])) <= files;
    const value = candidates.find(needsNoFile) ?? candidates[0];
    if (value === undefined) return [];
    this.values.push([field.id, recordId, value]);
    return [{ field_id: field.id, value, ...(recordId !== null && { entity_record_id: recordId }) }];
  }

  /** Returns a value that keeps to the rules between this answer and earlier ones. The bound that a value breaks is such a value. */
  private meetingRules({ rules, component }: PublishedField, value: string, recordId: number | null): string {
    const comparable = (text: string) =>
      new ComparableAnswer(text, definitionOf(component).holds === 'number');
    for (const rule of rules?.betweenFields ?? []) {
      const other = this.values.find(
        ([id, ofRecord]) => id === rule.otherFieldId && (ofRecord === null || ofRecord === recordId),
      );
      const bound = other && rule.brokenBound(comparable(value), comparable(other[2]));
      if (bound !== undefined && rule.kind !== 'not_equal') return bound;
    }
    return value;
  }

  /** The answers so far and some more, with the computed values. */
  private valuesWith(more: readonly StoredValue[]): readonly StoredValue[] {
    const { form, records } = this;
    const values = [...this.values, ...more];
    const { computed } = form.rules;
    if (computed === undefined) return values;
    return runToCompletion(computed.compute(values, namedRecords(form, { values, records })));
  }

  /** The states of all fields, without a record and in each record, with the answers so far and some more. */
  private statesWith(...more: readonly StoredValue[]): PlacedState[] {
    const { form, records } = this;
    const values = this.valuesWith(more);
    const named = namedRecords(form, { values, records });
    const entities = new Map(named.map(({ id, entity }) => [id, form.entitiesByName.get(entity)]));
    return [
      ...placed(form.fields, form.rules.resolveStates(values), null),
      ...[...form.rules.resolveRecords(values, named)].flatMap(([id, states]) =>
        placed(entities.get(id)?.fields ?? [], states, id),
      ),
    ];
  }
}

interface PlacedState extends FieldState {
  readonly field: PublishedField;
  readonly recordId: number | null;
}

const placed = (fields: readonly PublishedField[], states: readonly FieldState[], recordId: number | null) =>
  fields.map((field, index): PlacedState => ({ ...(states[index] as FieldState), field, recordId }));

const requiredFiles = (states: readonly PlacedState[]) =>
  states.filter(({ required, field }) => required && field.component === FILE_COMPONENT).length;
