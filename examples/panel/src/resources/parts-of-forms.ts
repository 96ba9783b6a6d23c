import type { DataSource } from 'typeorm';
import { EntityDefinition, Step } from 'formtrail-entities';
import {
  CONDITION_LABELS,
  CONDITION_MESSAGES,
  CONDITION_PROPERTIES,
  CONDITIONS,
  SHOW_OR_HIDE,
} from './conditions.js';
import { emptyIsNull, DISABLED, type PanelResource, toForm } from '../panel-resource.js';

/** Steps and entities. They are edited with their form, except their conditions, which have a page of their own. */
export function partsOfForms(dataSource: DataSource): PanelResource[] {
  const actions = {
    ...Object.fromEntries(
      ['list', 'show', 'new', 'delete', 'bulkDelete'].map((action) => [action, DISABLED]),
    ),
    edit: { before: emptyIsNull, after: toForm('formId') },
  };
  const resource = {
    dataSource,
    parts: { conditions: CONDITIONS },
    formKey: 'formId',
    constraintMessages: CONDITION_MESSAGES,
  };
  const options = {
    navigation: false as const,
    properties: {
      ...CONDITION_PROPERTIES,
      'conditions.action': { availableValues: SHOW_OR_HIDE },
    },
    actions,
  };
  return [
    {
      name: 'Steps',
      record: 'Step',
      labels: { title: 'Title', ...CONDITION_LABELS },
      resource: { ...resource, entity: Step },
      options: {
        ...options,
        titleProperty: 'title',
        sort: { sortBy: 'stepNumber', direction: 'asc' },
        editProperties: ['title', 'conditions'],
      },
    },
    {
      name: 'Entities',
      record: 'Entity',
      labels: { label: 'Label', ...CONDITION_LABELS },
      resource: { ...resource, entity: EntityDefinition },
      options: { ...options, titleProperty: 'label', editProperties: ['label', 'conditions'] },
    },
  ];
}
