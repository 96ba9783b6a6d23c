import type { Before, PropertyOptions } from 'adminjs';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import type { RetireInput } from '../components/retire.js';
import { type Component, COMPONENTS as KNOWN_COMPONENTS, Field, FieldType } from 'formtrail-entities';
import { CONDITION_LABELS, CONDITION_MESSAGES, CONDITION_PROPERTIES, CONDITIONS } from './conditions.js';
import { emptyIsNull, DISABLED, ON_NARROW_SCREENS, type PanelResource, toForm } from '../panel-resource.js';

const OF_FILE_FIELDS: PropertyOptions = {
  components: { edit: COMPONENTS.OfFieldTypes, show: COMPONENTS.OfFieldTypes },
  custom: { components: ['file-input' satisfies Component] },
};

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
    record: 'Field',
    resource: {
      dataSource,
      entity: Field,
      parts: {
        options: { columns: ['label', 'value'], position: 'order' },
        conditions: CONDITIONS,
        rules: { columns: ['kind', 'value', 'message'] },
      },
      titleOf: ({ label, code }) => String(label || code),
      formKey: 'formId',
      constraintMessages: {
        fields_form_id_code_key: ['code', 'Another field of this form has this code. Choose another one.'],
        fields_code_entity_name_key: ['code', 'An entity of this form has this name. Choose another code.'],
        fields_code_record_check: ['code', 'The code must not end in a dot and a number.'],
        fields_count_check: ['', 'The form has 10,000 fields already. Divide it into several forms.'],
        options_count_check: [
          'options',
          'The form has 100,000 options already. Divide it into several forms.',
        ],
        fields_code_check: ['code', 'Enter a code, such as first_name.'],
        fields_step_id_form_id_fkey: ['stepId', 'Choose a step of this form.'],
        fields_entity_id_form_id_fkey: ['entityId', 'Choose an entity of this form.'],
        fields_max_bytes_check: ['maxBytes', 'Enter a number from 1 to 26214400, or leave this empty.'],
        fields_accept_check: [
          'accept',
          'Enter media types and extensions in lower case, separated by commas: application/pdf, image/*, .docx.',
        ],
        fields_meta_check: ['meta', 'Enter a JSON object, such as {"autocomplete": "email"}.'],
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
      defaultValue: 'Default value',
      isRequired: 'Required',
      isRepeatable: 'Repeatable',
      order: 'Position',
      accept: 'Accepted files',
      maxBytes: 'Largest file',
      meta: 'Further data',
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
        ...['accept', 'maxBytes', 'retiredAt', 'isRequired', 'isRepeatable', 'entityId'],
        ...['options', 'conditions', 'rules', 'meta'],
      ],
      editProperties: [
        ...['formId', 'stepId', 'label', 'code', 'fieldTypeId', 'placeholder', 'description', 'defaultValue'],
        ...['accept', 'maxBytes', 'isRequired', 'isRepeatable', 'entityId', 'order'],
        ...['options', 'conditions', 'rules', 'meta', 'retiredAt'],
      ],
      properties: {
        formId: { reference: 'forms', props: { inputId: 'formId' } },
        fieldTypeId: { props: { inputId: 'fieldTypeId' } },
        stepId: { components: { edit: COMPONENTS.OfSameForm } },
        label: { type: 'string', ...ON_NARROW_SCREENS, description: 'The question, as users see it' },
        code: {
          components: { edit: COMPONENTS.ProposedName },
          description: 'Name for programs, such as first_name; unique in the form',
        },
        description: { type: 'textarea' },
        isRequired: { description: 'Conditions can make an optional field required' },
        isRepeatable: { description: 'One value for each record of its entity' },
        entityId: { components: { edit: COMPONENTS.OfSameForm } },
        order: { description: 'Position in its step; the last one if empty' },
        accept: {
          ...OF_FILE_FIELDS,
          description: 'Media types and extensions, such as application/pdf, image/*, .docx. Empty: any file',
        },
        maxBytes: { ...OF_FILE_FIELDS, description: 'In bytes. Empty: 26214400, which is 25 MiB' },
        options: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Option' },
          isDraggable: true,
          description: 'For select, radio and checkbox',
        },
        'options.value': { components: { edit: COMPONENTS.ProposedName } },
        ...CONDITION_PROPERTIES,
        retiredAt: { components: { edit: COMPONENTS.Retire } },
        rules: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Rule' },
          description: 'Checked by strict completion',
        },
        meta: {
          description: 'A JSON object for the renderer, such as {"autocomplete": "email"}, or nothing',
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
    record: 'Field type',
    resource: {
      dataSource,
      entity: FieldType,
      constraintMessages: {
        field_types_name_key: ['name', 'Another type has this name. Choose another one.'],
        fields_field_type_id_fkey: ['', 'Fields have this type, so it cannot be deleted.'],
      },
    },
    labels: {},
    actions: { new: 'New field type' },
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
