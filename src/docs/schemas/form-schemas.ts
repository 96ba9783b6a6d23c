import { ACTIONS, OPERATORS } from '../../conditions/rules/index.js';
import { MAX_NAME, SLUG } from '../../forms/limits.js';
import type { Schema } from '../openapi-types.js';
import {
  arrayOf,
  freeObject,
  id,
  object,
  optionalText,
  schemaRef,
  text,
  timestamp,
  uuid,
} from './vocabulary.js';

export const slug: Schema = { type: 'string', pattern: SLUG, maxLength: MAX_NAME };

const description: Schema = { ...text, description: 'May be empty.' };

const formText = {
  uuid,
  name: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  slug,
  description,
  is_active: {
    type: 'boolean',
    description: 'An inactive form can still be read, but takes no new submissions. Open drafts go on.',
  },
  version: {
    type: 'integer',
    minimum: 1,
    description: 'Moves up by one whenever anything that the form publishes has changed.',
  },
} satisfies Record<string, Schema>;

const url: Schema = { type: 'string', format: 'uri' };
const urlOrNull: Schema = { type: ['string', 'null'], format: 'uri', description: 'Null: no such page.' };

export const formSchemas = {
  Form: object({ id, ...formText, created_at: timestamp, updated_at: timestamp }),

  FormPage: object({
    data: arrayOf(schemaRef('Form')),
    links: schemaRef('PageLinks'),
    meta: schemaRef('PageMeta'),
  }),

  PageLinks: object({ first: url, last: url, prev: urlOrNull, next: urlOrNull }),

  PageMeta: object({
    current_page: { type: 'integer', minimum: 1 },
    last_page: { type: 'integer', minimum: 1, description: '1 where there is nothing to list.' },
    per_page: { type: 'integer', minimum: 1, maximum: 100 },
    total: { type: 'integer', minimum: 0, description: 'On all pages together.' },
  }),

  FormSchema: object({ ...formText, steps: arrayOf(schemaRef('Step')) }),

  Step: object({
    id,
    step_number: { type: 'integer', minimum: 1, description: 'The steps come in this order.' },
    title: { type: 'string', maxLength: MAX_NAME },
    description,
    is_visible: {
      type: 'boolean',
      description: 'For you to act on: the service counts the step and takes its values either way.',
    },
    meta: { ...freeObject, description: 'Free-form, for example the name of an icon.' },
    fields: arrayOf(schemaRef('Field')),
  }),

  Field: object({
    id,
    code: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'Stable and unique in the form, snake_case.',
    },
    label: text,
    placeholder: optionalText,
    description: optionalText,
    is_required: {
      type: 'boolean',
      description: 'The default. What holds for one submission is what its conditions resolve to.',
    },
    is_repeatable: {
      type: 'boolean',
      description: 'Holds one value for each entity record, and one without a record.',
    },
    default_value: optionalText,
    order: { type: 'integer', description: 'The fields of a step come in this order, then by id.' },
    field_type: schemaRef('FieldType'),
    options: arrayOf(schemaRef('Option')),
    conditions: arrayOf(schemaRef('Condition')),
  }),

  FieldType: object({
    name: { type: 'string', minLength: 1, maxLength: MAX_NAME },
    component: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME,
      description:
        'What to render: text-input, email-input, number-input, textarea-input, select-input, checkbox-input, ' +
        'radio-input, date-input, file-input, heading-display or paragraph-display. Render one that you do not ' +
        'know as a plain text input. The two display components hold no value.',
      examples: ['text-input', 'select-input', 'heading-display'],
    },
  }),

  Option: object({
    label: text,
    value: text,
    order: { type: 'integer', description: 'The options of a field come in this order, then by id.' },
  }),

  Condition: object({
    depends_on_field_id: { ...id, description: 'The field whose stored value is tested.' },
    depends_on_field_code: { ...text, description: 'The code of the same field.' },
    operator: { type: 'string', enum: OPERATORS },
    value: { ...text, description: 'What the stored value is compared with.' },
    action: { type: 'string', enum: ACTIONS },
  }),
} satisfies Record<string, Schema>;
