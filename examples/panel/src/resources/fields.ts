import type { Before } from 'adminjs';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import type { RetireInput } from '../components/retire.js';
import { COMPONENTS as KNOWN_COMPONENTS, Field, FieldType } from 'formtrail-entities';
import { CONDITION_LABELS, CONDITION_MESSAGES, CONDITION_PROPERTIES, CONDITIONS } from './conditions.js';
import { emptyIsNull, DISABLED, type PanelResource, toForm } from '../panel-resource.js';

export function fieldsResource(dataSource: DataSource): PanelResource {
  const lastByDefault: Before = async (request) => {
    const { stepId, order } = request.payload ?? {};
    if (request.method !== 'post' || order != null || stepId == null) return request;
    const last = await dataSource.manager.maximum(Field, 'order', { stepId: Number(stepId) });
    return { ...request, payload: { ...request.payload, order: (last ?? 0) + 1 } };
  };

  const now: RetireInput = 'now';
  const retiredNow: Before = ({ payload, ...request }) => ({
    ...request,
    payload: {
      ...payload,
      ...(payload?.['retiredAt'] === now && { retiredAt: new Date().toISOString() }),
    },
  });

  return {
    name: 'Fields',
    resource: {
      dataSource,
      entity: Field,
      parts: {
        options: { columns: ['label', 'value'], position: 'order' },
        conditions: CONDITIONS,
        rules: { columns: ['kind', 'value', 'message'] },
      },
      formKey: 'formId',
      constraintMessages: {
        fields_form_id_code_key: ['code', 'Another field of this form has this code. Choose another one.'],
        fields_code_entity_name_key: ['code', 'An entity of this form has this name. Choose another code.'],
        fields_code_record_check: ['code', 'The code must not end in a dot and a number.'],
        fields_code_check: ['code', 'Enter a code, such as first_name.'],
        fields_step_id_form_id_fkey: ['stepId', 'Choose a step of this form.'],
        fields_entity_id_form_id_fkey: ['entityId', 'Choose an entity of this form.'],
        options_field_id_value_key: ['options.value', 'Another option has this value. Choose another one.'],
        field_rules_field_id_kind_key: [
          'rules.kind',
          'The field already has a rule of this kind. Change that one.',
        ],
        field_rules_value_check: [
          'rules.value',
          'Enter a value for this kind of rule: a number; a number of characters from 1 to 65535; ' +
            'or a date such as 2026-11-21, today or today+30d.',
        ],
        field_rules_message_check: ['rules.message', 'Enter a message, or leave this empty.'],
        ...CONDITION_MESSAGES,
        submission_values_field_id_form_id_is_repeatable_fkey: [
          'isRepeatable',
          'Submissions have values of this field, so you cannot delete it or change “Repeatable”. ' +
            'Retire it instead: edit the field, and tick “Retire this field”.',
        ],
      },
    },
    labels: {
      formId: 'Form',
      stepId: 'Step',
      fieldTypeId: 'Type',
      entityId: 'Entity',
      isRequired: 'Required',
      isRepeatable: 'Repeatable',
      order: 'Position',
      options: 'Options',
      'options.label': 'Label',
      'options.value': 'Value',
      ...CONDITION_LABELS,
      retiredAt: 'Retired',
      rules: 'Rules',
      'rules.kind': 'Kind',
      'rules.value': 'Value',
      'rules.message': 'Message',
    },
    actions: { new: 'New field' },
    messages: { confirmDelete: 'Delete this field, with its options, conditions and rules?' },
    options: {
      navigation: { name: 'Forms', icon: 'FileText' },
      titleProperty: 'label',
      sort: { sortBy: 'order', direction: 'asc' },
      listProperties: ['label', 'formId', 'stepId', 'fieldTypeId', 'code', 'isRequired', 'retiredAt'],
      filterProperties: ['formId', 'label', 'code', 'fieldTypeId', 'isRequired'],
      showProperties: [
        ...['formId', 'stepId', 'label', 'code', 'fieldTypeId', 'placeholder', 'description', 'defaultValue'],
        ...['retiredAt', 'isRequired', 'isRepeatable', 'entityId', 'options', 'conditions', 'rules'],
      ],
      editProperties: [
        ...['formId', 'stepId', 'label', 'code', 'fieldTypeId', 'placeholder', 'description', 'defaultValue'],
        ...['isRequired', 'isRepeatable', 'entityId', 'order', 'options', 'conditions', 'rules', 'retiredAt'],
      ],
      properties: {
        formId: { reference: 'forms', props: { inputId: 'formId' } },
        fieldTypeId: { props: { inputId: 'fieldTypeId' } },
        stepId: { components: { edit: COMPONENTS.OfSameForm } },
        label: { type: 'string', description: 'The question, as users see it' },
        code: { description: 'Name for programs, such as first_name; unique in the form' },
        description: { type: 'textarea' },
        isRequired: { description: 'Conditions can make an optional field required' },
        isRepeatable: {
          description:
            'One value for each record of its entity; cannot be changed once submissions have values',
        },
        entityId: { components: { edit: COMPONENTS.OfSameForm } },
        order: { description: 'Position in its step; the last one if empty' },
        options: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Option' },
          isDraggable: true,
          description: 'For select, radio and checkbox',
        },
        ...CONDITION_PROPERTIES,
        retiredAt: { components: { edit: COMPONENTS.Retire } },
        rules: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Rule' },
          description: 'Checked by strict completion',
        },
        'rules.value': { description: 'A number, a date such as today+30d, or a pattern (RE2)' },
        'rules.message': { description: 'Shown if the rule is broken; a message of the service if empty' },
      },
      actions: {
        new: { before: [emptyIsNull, lastByDefault], after: toForm('formId') },
        edit: { before: [emptyIsNull, retiredNow], after: toForm('formId') },
        delete: { guard: 'confirmDelete', after: toForm('formId') },
        bulkDelete: DISABLED,
      },
    },
  };
}

export function fieldTypesResource(dataSource: DataSource): PanelResource {
  return {
    name: 'Field types',
    resource: {
      dataSource,
      entity: FieldType,
      constraintMessages: {
        field_types_name_key: ['name', 'Another type has this name. Choose another one.'],
        fields_field_type_id_fkey: ['', 'Fields have this type, so it cannot be deleted.'],
      },
    },
    labels: {},
    options: {
      navigation: { name: 'Forms', icon: 'FileText' },
      sort: { sortBy: 'name', direction: 'asc' },
      listProperties: ['name', 'component'],
      editProperties: ['name', 'component'],
      showProperties: ['name', 'component'],
      filterProperties: ['name', 'component'],
      properties: {
        component: {
          description: `The input that renderers show: ${KNOWN_COMPONENTS.join(', ')}. Renderers show an unknown component as text-input`,
        },
      },
      actions: { bulkDelete: DISABLED },
    },
  };
}
