import type { PropertyOptions } from 'adminjs';
import { RULE_KINDS } from 'formtrail-entities';
import type { ConstraintMessages } from '../adapter/constraint-messages.js';
import type { PartsPlan } from '../adapter/parts.js';
import { COMPONENTS } from '../components.js';
import { SHOWN_KINDS } from '../components/rule-sentences.js';
import { HOLDS } from './components-of-fields.js';

/** Rules as rows of a field. */
export const RULES: PartsPlan = { columns: ['kind', 'otherFieldId', 'value', 'offsetDays', 'message'] };

export const RULE_LABELS = {
  rules: 'Rules',
  'rules.kind': 'Kind',
  'rules.otherFieldId': 'Compare with',
  'rules.value': 'Value',
  'rules.offsetDays': 'Days after it',
  'rules.message': 'Message',
};

export const RULE_PROPERTIES: Readonly<Record<string, PropertyOptions>> = {
  rules: {
    components: { edit: COMPONENTS.Rules, show: COMPONENTS.ShownRules },
    custom: { row: 'Rule' },
    description: 'What an answer has to be like',
  },
  'rules.kind': {
    availableValues: RULE_KINDS.map((value) => ({ value, label: SHOWN_KINDS[value].label })),
    components: { edit: COMPONENTS.RuleKind },
    custom: { held: HOLDS },
  },
  'rules.otherFieldId': { components: { edit: COMPONENTS.RuleOtherField } },
  'rules.value': { components: { edit: COMPONENTS.RuleValue } },
  'rules.offsetDays': {
    components: { edit: COMPONENTS.OffsetDays },
    description: 'Negative: before it. Empty: that day',
  },
  'rules.message': { description: 'Shown if the rule is broken; a message of the service if empty' },
};

export const RULE_MESSAGES: ConstraintMessages = {
  field_rules_field_id_kind_key: [
    'rules.kind',
    'The field already has a rule of this kind with a value. Change that one.',
  ],
  field_rules_field_id_kind_other_field_id_key: [
    'rules.otherFieldId',
    'The field already has a rule of this kind with this field. Change that one.',
  ],
  field_rules_value_check: [
    'rules.value',
    'Enter a value for this kind of rule: a number; a number of characters from 1 to 65535; or a date.',
  ],
  field_rules_other_field_check: ['rules.kind', 'Enter a value, or choose a field to compare with.'],
  field_rules_offset_days_check: ['rules.offsetDays', 'Enter a number of days from -99999 to 99999.'],
  field_rules_other_field_id_fkey: [
    'rules',
    'A rule can only compare with a field of this form. A field with which rules compare cannot be deleted.',
  ],
  field_rules_other_field_fits_check: [
    'rules',
    'A rule of this form does not fit its field: it compares with a different field that has one value there, such as one of the ' +
      'same repeating group, and a total is that of a number that repeats. Change the rule first.',
  ],
  field_rules_message_check: ['rules.message', 'Enter a message, or leave this empty.'],
};

export const FORMULA_MESSAGES: ConstraintMessages = {
  fields_computed_check: [
    'computed',
    'The formula is too large. It can have 50 parts, and calculations in each other up to 4 deep.',
  ],
  fields_computed_count_check: ['computed', 'The form has 1,000 computed fields already.'],
  fields_computed_operands_check: [
    'computed',
    'Each part of a formula has to be a field of this form that holds a value. A field that a formula uses cannot be deleted.',
  ],
  fields_computed_cycle_check: [
    'computed',
    'This formula uses a field that is computed from this one. Choose another field.',
  ],
};
