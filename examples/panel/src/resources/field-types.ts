import type { DataSource } from 'typeorm';
import { COMPONENTS, FieldType } from 'formtrail-entities';
import { shownType } from '../components/shown-types.js';
import { DISABLED, type PanelResource } from '../panel-resource.js';

export function fieldTypesResource(dataSource: DataSource): PanelResource {
  return {
    name: 'Field types',
    record: 'Field type',
    resource: {
      dataSource,
      entity: FieldType,
      titleOf: ({ name, component }) => shownType({ name: String(name), component: String(component) }).words,
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
          description: `The input that renderers show: ${COMPONENTS.join(', ')}. Renderers show an unknown component as text-input`,
        },
      },
      actions: { bulkDelete: DISABLED },
    },
  };
}
