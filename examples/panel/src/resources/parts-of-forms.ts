import { type Before, ValidationError } from 'adminjs';
import { plainText } from 'formtrail-session/markup';
import type { DataSource } from 'typeorm';
import { EntityDefinition, Field, Step } from 'formtrail-entities';
import {
  CONDITION_LABELS,
  CONDITION_MESSAGES,
  CONDITION_PROPERTIES,
  CONDITIONS,
  SHOW_OR_HIDE,
} from './conditions.js';
import { emptyIsNull, DISABLED, type PanelResource, sections, toForm } from '../panel-resource.js';

/** Steps and groups of fields. The page of a form lists and adds them. */
export function partsOfForms(dataSource: DataSource): PanelResource[] {
  const disabled = ['list', 'show', 'new', 'bulkDelete'].map((action) => [action, DISABLED] as const);
  const edit = { before: emptyIsNull, after: toForm('formId') };
  const remove = { guard: 'confirmDelete', after: toForm('formId') };
  const resource = { dataSource, parts: { conditions: CONDITIONS }, formKey: 'formId' };
  const properties = { ...CONDITION_PROPERTIES, 'conditions.action': { availableValues: SHOW_OR_HIDE } };
  return [
    {
      name: 'Steps',
      record: 'Step',
      labels: { title: 'Title', isVisible: 'Visible', meta: 'Further data', ...CONDITION_LABELS },
      messages: { confirmDelete: 'Delete this step?' },
      resource: {
        ...resource,
        entity: Step,
        constraintMessages: {
          steps_meta_check: ['meta', 'Enter a JSON object, such as {"icon": "coins"}.'],
          ...CONDITION_MESSAGES,
        },
      },
      options: {
        navigation: false,
        titleProperty: 'title',
        sort: { sortBy: 'stepNumber', direction: 'asc' },
        editProperties: ['title', 'description', 'conditions', 'isVisible', 'meta'],
        properties: {
          ...properties,
          title: { type: 'string' },
          description: { type: 'textarea' },
          isVisible: { description: 'Whether the step is shown at all, whatever its conditions' },
          meta: { description: 'A JSON object for the renderer, such as {"icon": "coins"}, or nothing' },
        },
        actions: {
          ...Object.fromEntries(disabled),
          edit: {
            ...edit,
            layout: sections({
              Step: ['title', 'description'],
              Logic: ['conditions'],
              Advanced: ['isVisible', 'meta'],
            }),
          },
          delete: { ...remove, before: keepFields(dataSource) },
        },
      },
    },
    {
      name: 'Groups',
      record: 'Group',
      labels: {
        label: 'An entry is called…',
        name: 'Name',
        isRepeatable: 'Repeats',
        minRecords: 'Fewest entries',
        maxRecords: 'Most entries',
        ...CONDITION_LABELS,
      },
      messages: { confirmDelete: 'Delete this group?' },
      resource: {
        ...resource,
        entity: EntityDefinition,
        titleOf: ({ label }) => plainText(String(label)),
        constraintMessages: {
          entities_name_check: ['name', 'Enter a name.'],
          entities_form_id_name_key: ['name', 'Another group of this form has this name.'],
          entities_name_field_code_key: ['name', 'A field of this form has this code. Choose another name.'],
          entities_name_record_check: ['name', 'The name must not end in a dot and a number.'],
          entities_min_records_check: ['minRecords', 'Enter a number from 0 to 200, or leave this empty.'],
          entities_max_records_check: ['maxRecords', 'Enter a number from 1 to 200, or leave this empty.'],
          entities_records_check: [
            'maxRecords',
            'The most must not be less than the fewest. Tick “Repeats” for more than one entry.',
          ],
          fields_entity_id_form_id_fkey: [
            '',
            'The group has fields, so it cannot be deleted. Delete them, or take them out of the group first.',
          ],
          entity_records_entity_id_form_id_fkey: [
            '',
            'Submissions have entries of this group, so it cannot be deleted.',
          ],
          ...CONDITION_MESSAGES,
        },
      },
      options: {
        navigation: false,
        titleProperty: 'label',
        editProperties: ['label', 'minRecords', 'maxRecords', 'conditions', 'name', 'isRepeatable'],
        properties: {
          ...properties,
          label: { type: 'string', description: 'In the singular, such as Participant' },
          isRepeatable: { description: 'Whether people can add more than one entry' },
          name: { description: 'Name for programs, such as participant; unique in the form' },
        },
        actions: {
          ...Object.fromEntries(disabled),
          edit: {
            ...edit,
            layout: sections({
              Group: ['label', 'minRecords', 'maxRecords'],
              Logic: ['conditions'],
              Advanced: ['name', 'isRepeatable'],
            }),
          },
          delete: remove,
        },
      },
    },
  ];
}

/** Keeps a step that has fields, because the database would delete them too. */
const keepFields =
  ({ manager }: DataSource): Before =>
  async (request) => {
    const stepId = Number(request.params.recordId);
    if (request.method !== 'post' || !(await manager.existsBy(Field, { stepId }))) return request;
    const message = 'The step has fields. Delete them or move them to another step first.';
    throw new ValidationError({}, { message });
  };
