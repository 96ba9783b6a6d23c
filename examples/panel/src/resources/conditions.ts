import type { PropertyOptions } from 'adminjs';
import type { ConstraintMessages } from '../adapter/constraint-messages.js';
import type { PartsPlan } from '../adapter/parts.js';
import { ACTIONS, OPERATORS } from 'formtrail-entities';
import { COMPONENTS } from '../components.js';
import { ACTION_WORDS, SHOWN_OPERATORS } from '../components/condition-sentences.js';

/** Conditions as rows of a field, a step or an entity. */
export const CONDITIONS: PartsPlan = {
  columns: ['action', 'dependsOnFieldId', 'operator', 'valueFieldId', 'value', 'groupNumber'],
};

export const CONDITION_LABELS = {
  conditions: 'Conditions',
  'conditions.action': 'Effect',
  'conditions.dependsOnFieldId': 'If field',
  'conditions.operator': 'Operator',
  'conditions.valueFieldId': 'Compare with',
  'conditions.value': 'Value',
  'conditions.groupNumber': 'Group',
};

const choices = (values: readonly string[], words: Readonly<Record<string, string>>) =>
  values.map((value) => ({ value, label: words[value] ?? value }));

/** Effects of the conditions of a step or an entity. */
export const SHOW_OR_HIDE = choices(['show', 'hide'], ACTION_WORDS);

export const CONDITION_PROPERTIES: Readonly<Record<string, PropertyOptions>> = {
  conditions: {
    components: { edit: COMPONENTS.Conditions, show: COMPONENTS.ShownConditions },
    custom: { row: 'Condition', fresh: { action: 'show', operator: 'equals' } },
    description:
      'One met condition is enough for its effect; conditions with the same group number have to be met together',
  },
  'conditions.action': { availableValues: choices(ACTIONS, ACTION_WORDS) },
  'conditions.dependsOnFieldId': { components: { edit: COMPONENTS.TestedField } },
  'conditions.operator': {
    components: { edit: COMPONENTS.ConditionOperator },
    availableValues: OPERATORS.map((value) => ({ value, label: SHOWN_OPERATORS[value].words })),
  },
  'conditions.valueFieldId': { components: { edit: COMPONENTS.ConditionOtherField } },
  'conditions.value': { components: { edit: COMPONENTS.ConditionValue } },
};

export const CONDITION_MESSAGES: ConstraintMessages = {
  conditions_count_check: [
    'conditions',
    'The form has 30,000 conditions already. Divide it into several forms.',
  ],
  conditions_owner_check: [
    'conditions',
    'A condition belongs to one field, one step or one entity, and to nothing else.',
  ],
  conditions_require_check: [
    'conditions.action',
    'Conditions can only show or hide a step or an entity. Require its fields instead.',
  ],
  conditions_depends_on_field_id_form_id_fkey: [
    'conditions',
    'A condition can only test a field of this form. A field that conditions test cannot be deleted.',
  ],
  conditions_value_field_id_form_id_fkey: [
    'conditions',
    'A condition can only compare with a field of this form. A field with which conditions compare cannot be deleted.',
  ],
  conditions_value_field_id_check: [
    'conditions.valueFieldId',
    'A condition compares with a value or with a field, not with both.',
  ],
  conditions_step_id_form_id_fkey: ['conditions', 'A condition can only show or hide a step of its form.'],
  conditions_entity_id_form_id_fkey: [
    'conditions',
    'A condition can only show or hide an entity of its form.',
  ],
};
