import { ACTIONS, OPERATORS } from '../../conditions/rules/index.js';
import type { Schema } from '../openapi-types.js';
import {
  arrayOf,
  flag,
  freeObject,
  id,
  MAX_INTEGER,
  object,
  schemaRef,
  text,
  timestamp,
  uuid,
  withOptional,
} from './vocabulary.js';

const status: Schema = { type: 'string', enum: ['draft', 'completed'] };

const meta: Schema = {
  ...freeObject,
  description: 'Whatever object you store with the submission, at most 16 KiB as JSON; null until you do.',
};

const currentStep: Schema = {
  type: 'integer',
  minimum: 1,
  description: 'A position among the steps of the form in their order, from 1.',
};

const explanation = {
  conditions_met: {
    ...arrayOf(schemaRef('MetCondition')),
    description:
      'Only with `explain=true`: the conditions of the field that are met, in the order of the schema.',
  },
};

const entityRecordId: Schema = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: MAX_INTEGER,
  description: 'The entity record that the value belongs to; null: none.',
};

const submission = {
  uuid,
  form_id: id,
  status,
  current_step: currentStep,
  meta,
  created_at: timestamp,
  updated_at: { ...timestamp, description: 'Moves with every accepted write, storing values included.' },
} satisfies Record<string, Schema>;

// Requests may carry properties that are not named here: the service ignores them.
const requests = {
  NewSubmission: {
    type: 'object',
    properties: { form_uuid: { ...uuid, description: 'An active form.' } },
    required: ['form_uuid'],
  },

  SubmissionChange: {
    type: 'object',
    properties: {
      status: {
        ...status,
        description:
          'completed is final. draft changes nothing on a draft, and is refused on a completed one.',
      },
      meta: { ...meta, description: 'Replaces what is stored, as a whole; null clears it. 16 KiB as JSON.' },
    },
  },

  NewValues: {
    type: 'object',
    properties: { values: { ...arrayOf(schemaRef('NewValue')), maxItems: 500 } },
    required: ['values'],
  },

  NewValue: {
    type: 'object',
    description: 'Name the field by its id or by its code; by both only where they are of the same field.',
    properties: {
      field_id: id,
      field_code: text,
      value: {
        type: 'string',
        maxLength: 65_535,
        description: 'Always a string. An empty one is stored and counts as no value.',
      },
      entity_record_id: {
        ...entityRecordId,
        description: 'An entity record of this submission. Leave it out, or send null, for none.',
      },
    },
    required: ['value'],
    anyOf: [{ required: ['field_id'] }, { required: ['field_code'] }],
  },
} satisfies Record<string, Schema>;

export const submissionSchemas = {
  ...requests,

  Submission: object(submission),

  SubmissionWithValues: object({ ...submission, values: arrayOf(schemaRef('SubmissionValue')) }),

  SubmissionValue: object({
    field_id: id,
    field_code: text,
    value: { type: 'string', maxLength: 65_535 },
    entity_record_id: entityRecordId,
  }),

  StepProgress: object({
    uuid,
    current_step: currentStep,
    status,
    is_last_step: flag,
    progress_percentage: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'The position over the number of steps, rounded; 100 on the last step.',
    },
  }),

  ConditionsMap: {
    type: 'object',
    description: 'The state of every field of the form, by field id (as a string).',
    propertyNames: { pattern: '^[1-9][0-9]*$' },
    additionalProperties: schemaRef('FieldVisibility'),
  },

  FieldVisibility: withOptional(object({ visible: flag, required: flag }), explanation),

  ConditionsList: {
    ...arrayOf(schemaRef('FieldState')),
    description: 'The state of every field of the form, in the order of the schema.',
  },

  FieldState: withOptional(
    object({ field_id: id, field_code: text, is_visible: flag, is_required: flag }),
    explanation,
  ),

  MetCondition: object({
    depends_on_field_code: text,
    operator: { type: 'string', enum: OPERATORS },
    value: text,
    action: { type: 'string', enum: ACTIONS },
  }),
} satisfies Record<string, Schema>;
