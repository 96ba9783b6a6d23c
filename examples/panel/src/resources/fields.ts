import type { Before, ListActionResponse } from 'adminjs';
import { plainText } from 'formtrail-session/markup';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import type { RetireInput } from '../components/retire.js';
import { CHOICES, HOLDS, optionsOf } from './components-of-fields.js';
import { type Component, COMPONENTS as KNOWN_COMPONENTS, Field } from 'formtrail-entities';
import { CONDITION_LABELS, CONDITION_MESSAGES, CONDITION_PROPERTIES, CONDITIONS } from './conditions.js';
import { PLACES_MESSAGES } from './limits.js';
import { FORMULA_MESSAGES, RULE_LABELS, RULE_MESSAGES, RULE_PROPERTIES, RULES } from './rules.js';
import {
  emptyIsNull,
  DISABLED,
  ON_NARROW_SCREENS,
  type PanelResource,
  sections,
  toForm,
} from '../panel-resource.js';

const FILE_FIELDS = { components: ['file-input' satisfies Component] };

const SECTIONS = {
  Question: ['label', 'description', 'fieldTypeId', 'isRequired', 'isPersonal'],
  Answer: ['options', 'placeholder', 'defaultValue', 'accept', 'maxBytes', 'computed', 'rules'],
  Logic: ['conditions'],
};
const PLACE = ['formId', 'stepId', 'entityId', 'isRepeatable', 'order'];

export function fieldsResource(dataSource: DataSource): PanelResource {
  const lastByDefault: Before = async (request) => {
    const { stepId, order } = request.payload ?? {};
    if (request.method !== 'post' || order != null || stepId == null) return request;
    const last = await dataSource.manager.maximum(Field, 'order', { stepId: Number(stepId) });
    return { ...request, payload: { ...request.payload, order: (last ?? 0) + 1 } };
  };

  const withPlainLabels = (response: ListActionResponse): ListActionResponse => {
    for (const { params } of response.records) params['label'] = plainText(String(params['label']));
    return response;
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
        options: { columns: ['label', 'value', 'isExclusive', 'places'], position: 'order' },
        conditions: CONDITIONS,
        rules: RULES,
      },
      titleOf: ({ label, code }) => plainText(String(label)) || String(code),
      formKey: 'formId',
      constraintMessages: {
        fields_form_id_code_key: ['code', 'Another field of this form has this code. Choose another one.'],
        fields_code_entity_name_key: ['code', 'A group of this form has this name. Choose another code.'],
        fields_code_record_check: ['code', 'The code must not end in a dot and a number.'],
        fields_count_check: ['', 'The form has 10,000 fields already. Divide it into several forms.'],
        options_count_check: [
          'options',
          'The form has 100,000 options already. Divide it into several forms.',
        ],
        fields_code_check: ['code', 'Enter a code, such as first_name.'],
        fields_step_id_form_id_fkey: ['stepId', 'Choose a step of this form.'],
        fields_entity_id_form_id_fkey: ['entityId', 'Choose a group of this form.'],
        fields_max_bytes_check: ['maxBytes', 'Enter at most 25 MB, or leave this empty.'],
        fields_accept_check: [
          'accept',
          'Enter media types and extensions in lower case, separated by commas: application/pdf, image/*, .docx.',
        ],
        fields_meta_check: ['meta', 'Enter a JSON object, such as {"autocomplete": "email"}.'],
        options_field_id_value_key: ['options.value', 'Another option has this value. Choose another one.'],
        ...PLACES_MESSAGES,
        ...RULE_MESSAGES,
        ...FORMULA_MESSAGES,
        ...CONDITION_MESSAGES,
        submission_values_field_id_form_id_is_repeatable_fkey: [
          'isRepeatable',
          'Submissions have values of this field, so you cannot delete it or change “Repeats”. ' +
            'Retire it instead: edit the field, and tick “Retire this field”.',
        ],
      },
    },
    labels: {
      formId: 'Form',
      stepId: 'Step',
      fieldTypeId: 'Type',
      entityId: 'Repeating group',
      defaultValue: 'Default value',
      isRequired: 'Required',
      isPersonal: 'Personal data',
      isRepeatable: 'Repeats',
      order: 'Position',
      accept: 'Accepted files',
      maxBytes: 'Largest file',
      computed: 'Computed',
      meta: 'Further data',
      options: 'Options',
      'options.label': 'Label',
      'options.value': 'Value',
      'options.isExclusive': 'Excludes the others',
      'options.places': 'Places',
      ...CONDITION_LABELS,
      retiredAt: 'Retired',
      ...RULE_LABELS,
    },
    actions: { new: 'New field' },
    messages: { confirmDelete: 'Delete this field, with its options, conditions and rules?' },
    options: {
      navigation: { name: 'Forms', icon: 'FileText' },
      titleProperty: 'label',
      sort: { sortBy: 'order', direction: 'asc' },
      listProperties: [
        'label',
        'formId',
        'stepId',
        'fieldTypeId',
        'code',
        'isRequired',
        'isPersonal',
        'retiredAt',
      ],
      filterProperties: ['formId', 'label', 'code', 'fieldTypeId', 'isRequired', 'isPersonal'],
      showProperties: [
        ...['formId', 'stepId', 'label', 'code', 'fieldTypeId', 'placeholder', 'description', 'defaultValue'],
        ...[
          'accept',
          'maxBytes',
          'computed',
          'retiredAt',
          'isRequired',
          'isPersonal',
          'isRepeatable',
          'entityId',
        ],
        ...['options', 'conditions', 'rules', 'meta'],
      ],
      // The first one shows that somebody else has changed the form.
      editProperties: [...Object.values(SECTIONS).flat(), 'code', ...PLACE, 'meta', 'retiredAt'],
      properties: {
        formId: { reference: 'forms', props: { inputId: 'formId' } },
        fieldTypeId: { components: { edit: COMPONENTS.FieldType } },
        stepId: { components: { edit: COMPONENTS.OfSameForm } },
        label: { type: 'string', ...ON_NARROW_SCREENS, description: 'The question, as users see it' },
        code: {
          components: { edit: COMPONENTS.ProposedName },
          description: 'Name for programs, such as first_name; unique in the form',
        },
        description: { type: 'textarea' },
        isRequired: { description: 'Conditions can make an optional field required' },
        isPersonal: {
          description:
            'The answers are deleted at the time in the settings of the form (“Keep personal answers”), and exports can leave them out',
        },
        isRepeatable: { description: 'One value for each entry. Follows from the group that you choose' },
        entityId: {
          components: { edit: COMPONENTS.OfSameForm },
          custom: { copies: 'isRepeatable' },
          description: 'The group whose entries have the field, if any',
        },
        order: { description: 'Position in its step; the last one if empty' },
        accept: {
          components: { edit: COMPONENTS.OfFieldTypes, show: COMPONENTS.OfFieldTypes },
          custom: FILE_FIELDS,
          description: 'Media types and extensions, such as application/pdf, image/*, .docx. Empty: any file',
        },
        maxBytes: {
          components: { edit: COMPONENTS.Megabytes, show: COMPONENTS.Megabytes },
          custom: FILE_FIELDS,
          description: 'In MB. Empty: 25',
        },
        options: {
          components: { edit: COMPONENTS.OptionsOfField },
          custom: {
            row: 'Option',
            without: KNOWN_COMPONENTS.filter((component) => optionsOf(component) === 'none'),
            withPlaces: CHOICES,
            withExclusive: KNOWN_COMPONENTS.filter((component) => HOLDS[component] === 'options'),
          },
          isDraggable: true,
        },
        'options.value': { components: { edit: COMPONENTS.ProposedName } },
        'options.isExclusive': { description: 'Such as “None of these”' },
        'options.places': { description: 'Empty: any number' },
        ...CONDITION_PROPERTIES,
        computed: {
          components: { edit: COMPONENTS.Computed, show: COMPONENTS.ShownComputed },
          description: 'The service computes the value from other answers, and nobody can fill in the field',
        },
        retiredAt: { components: { edit: COMPONENTS.Retire } },
        meta: {
          description: 'A JSON object for the renderer, such as {"autocomplete": "email"}, or nothing',
        },
        ...RULE_PROPERTIES,
      },
      actions: {
        list: { after: withPlainLabels },
        new: {
          before: [emptyIsNull, lastByDefault],
          after: toForm('formId'),
          layout: sections({ Place: PLACE, ...SECTIONS, Advanced: ['code', 'meta'] }),
        },
        edit: {
          before: [emptyIsNull, retiredNow],
          after: toForm('formId'),
          layout: sections({ ...SECTIONS, Advanced: ['code', ...PLACE, 'meta', 'retiredAt'] }),
        },
        delete: { guard: 'confirmDelete', after: toForm('formId') },
        bulkDelete: DISABLED,
      },
    },
  };
}
