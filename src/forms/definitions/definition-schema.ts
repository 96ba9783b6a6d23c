import { ACTIONS, OPERATORS } from '../../conditions/rules/index.js';
import { COMPONENTS, FIRST_FIELD_TYPES } from '../field-types.js';
import { MAX_NAME, SLUG } from '../limits.js';

/** JSON Schema 2020-12, as much of it as {@link FORM_DEFINITION} uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  /** What a value must be, as the end of a sentence, where the keywords alone would not say it well. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly string[];
  /** Taken from a schema response, and ignored. */
  readonly readOnly?: true;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false;
}

/** Where editors find the schema, once the package is published. */
export const SCHEMA_URL = 'https://unpkg.com/formtrail/form-definition.schema.json';

/** What codes that are new to a form look like. It may have others, which the administration panel made. */
export const CODE = '^[a-z][a-z0-9_]*$';

const NAME = { minLength: 1, maxLength: MAX_NAME };
/** The range of a column of type `integer`. */
const INTEGER = { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 } as const;

const text = (description: string, rules: Schema = {}): Schema => ({ description, type: 'string', ...rules });
/** Null is the same as left out. */
const optionalText = (description: string, rules: Schema = {}): Schema =>
  text(description, { ...rules, type: ['string', 'null'] });
const flag = (description: string, fallback: boolean): Schema => {
  return { description, type: 'boolean', default: fallback };
};
const listOf = (name: string, description: string, rules: Schema = {}): Schema => {
  return { description, type: 'array', items: { $ref: `#/$defs/${name}` }, ...rules };
};
const object = (
  description: string,
  required: readonly string[],
  properties: Schema['properties'],
): Schema => {
  return { description, type: 'object', required, properties, additionalProperties: false };
};
const ignored: Schema = { description: 'Part of a schema response; ignored here.', readOnly: true };

const $defs = {
  entity: object(
    'Something that several fields ask about together, once or for each record of it.',
    ['name', 'label'],
    {
      id: ignored,
      name: text('What the fields call it; unique in the form. Renaming it makes another entity.', NAME),
      label: text('What people call it.'),
      is_repeatable: flag('Whether a submission can have several records of it.', false),
    },
  ),
  step: object('A page of the form.', ['step_number', 'title', 'fields'], {
    id: ignored,
    step_number: {
      description: 'Where it comes; unique in the form. Renumbering it makes another step.',
      ...INTEGER,
      minimum: 1,
    },
    title: text('Its heading.', { maxLength: MAX_NAME }),
    description: text('What people read below the title.', { default: '' }),
    is_visible: flag('For clients to act on: the service counts the step either way.', true),
    meta: { description: 'Anything for clients, such as an icon.', type: ['object', 'null'], default: null },
    fields: listOf('field', 'What it asks.'),
  }),
  field: object('A question, or a text between questions.', ['code', 'label', 'field_type'], {
    id: ignored,
    code: text(
      'What values, conditions and programs call it; unique in the form. Renaming it makes another.',
      {
        title: `snake_case: a lower-case letter, then such letters, digits and underscores, up to ${MAX_NAME}`,
        maxLength: MAX_NAME,
        pattern: CODE,
      },
    ),
    label: text('The question.'),
    placeholder: optionalText('What an empty input shows.', { default: null }),
    description: optionalText('What helps to respond.', { default: null }),
    is_required: flag('Whether it needs a value. A "require" condition can ask for one, too.', false),
    is_repeatable: flag(
      'Whether it holds a value for each record of its entity. It cannot change while values are stored.',
      false,
    ),
    default_value: optionalText('What clients fill in.', { default: null }),
    order: { description: 'Where it comes in its step. Left out: its place in this list.', ...INTEGER },
    field_type: { $ref: '#/$defs/field_type' },
    entity: optionalText('The name of the entity that it belongs to.', NAME),
    options: listOf('option', 'What people choose from.', { default: [] }),
    conditions: listOf(
      'condition',
      'When it is visible and required. It is hidden if any "hide" condition is met, or if it has "show" ' +
        'conditions and none is met. It is required, too, if any "require" condition is met.',
      { default: [] },
    ),
  }),
  field_type: object('What is rendered, and what a value can be.', ['name'], {
    id: ignored,
    name: text('One of those that there are, or a new one with its component.', {
      ...NAME,
      examples: [...FIRST_FIELD_TYPES.keys()],
    }),
    component: optionalText('What clients render. Left out: that of the field type.', {
      ...NAME,
      examples: COMPONENTS,
    }),
  }),
  option: object('One of the values to choose from.', ['label', 'value'], {
    id: ignored,
    label: text('What people read.'),
    value: text('What is stored; unique in the field. A checkbox stores several, separated by commas.'),
    order: { description: 'Where it comes in its field. Left out: its place in this list.', ...INTEGER },
  }),
  condition: object(
    'What becomes of the field, by the stored value of another.',
    ['depends_on_field_code', 'operator', 'action'],
    {
      id: ignored,
      depends_on_field_id: ignored,
      depends_on_field_code: text('The code of the field whose value is tested.', { minLength: 1 }),
      operator: text(
        'How the stored value is compared. Without a value "empty", "not_equals" and "not_in" are met, and nothing ' +
          'else. "contains" looks for a part of the text, "greater_than" and "less_than" compare decimal numbers.',
        { enum: OPERATORS },
      ),
      value: text(
        'What the stored value is compared with: for "in" and "not_in" a list, separated by commas; for "empty" and ' +
          '"not_empty" nothing.',
        { default: '' },
      ),
      action: text('What the condition does to the field while it is met.', { enum: ACTIONS }),
    },
  ),
} satisfies Record<string, Schema>;

const form = object('A form, as "formtrail forms import" takes it.', ['name', 'slug', 'steps'], {
  $schema: text('Where editors find this schema. It is not stored.'),
  id: ignored,
  uuid: optionalText('Left out: that of the form which has the slug, or a new one.', {
    title: 'a UUID',
    pattern: '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$',
  }),
  name: text('What people call it.', NAME),
  slug: text('What programs call it. The form that has it is updated; without one, it is made.', {
    title: `lower-case letters and digits with single hyphens, up to ${MAX_NAME}`,
    maxLength: MAX_NAME,
    pattern: SLUG,
  }),
  description: text('What people read about it.', { default: '' }),
  is_active: flag('Whether it takes new submissions.', true),
  version: ignored,
  created_at: ignored,
  updated_at: ignored,
  entities: listOf('entity', 'What fields can belong to, such as the trips of a travel expense claim.', {
    default: [],
  }),
  steps: listOf('step', 'The pages of the form.'),
});

/**
 * The one place that says what a definition may have. `form-definition.schema.json` is the same for editors, written
 * with `npm run --silent cli -- forms schema > form-definition.schema.json`.
 */
export const FORM_DEFINITION = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: SCHEMA_URL,
  title: 'Formtrail form definition',
  ...form,
  $defs,
};

/** What a reference leads to; a schema without one is itself. */
export function resolve(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : $defs[name as keyof typeof $defs];
}
