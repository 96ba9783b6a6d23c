import type { EntityManager } from 'typeorm';
import { definitionOf } from '../../forms/field-types.js';
import { idsInUse } from '../../submissions/ids-in-use.js';

/** The parts of a form that an export needs. */
export interface ExportedForm {
  readonly id: number;
  readonly slug: string;
  /** The fields that can have values, in the order of the schema (F7). */
  readonly fields: readonly ExportedField[];
  readonly fieldsById: ReadonlyMap<number, ExportedField>;
  readonly entitiesById: ReadonlyMap<number, ExportedEntity>;
}

export interface ExportedEntity {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

export interface ExportedField {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly component: string;
  readonly is_repeatable: boolean;
  readonly entity_id: number | null;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

const FIND_FORM = `
  select forms.id,
         (select coalesce(json_agg(json_build_object('id', fields.id, 'code', code, 'label', label, 'component', component,
                   'is_repeatable', fields.is_repeatable, 'entity_id', entity_id,
                   'options', (select coalesce(json_agg(json_build_object('value', value, 'label', options.label)
                                                        order by options."order", options.id), '[]')
                                 from options where field_id = fields.id))
                 order by step_number, fields."order", fields.id), '[]')
            from fields join steps on steps.id = step_id join field_types on field_types.id = field_type_id
           where fields.form_id = forms.id) as fields,
         (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'label', label) order by id), '[]')
            from entities where form_id = forms.id) as entities
    from forms where slug = $1`;

export const byId = (fields: readonly ExportedField[]) => ({
  fields,
  fieldsById: new Map(fields.map((field) => [field.id, field])),
});

interface FoundForm {
  readonly id: number;
  readonly fields: readonly ExportedField[];
  readonly entities: readonly ExportedEntity[];
}

/** Returns undefined if no form has the slug. */
export async function findExportedForm(
  manager: EntityManager,
  slug: string,
): Promise<ExportedForm | undefined> {
  const [form] = await manager.query<FoundForm[]>(FIND_FORM, [slug]);
  if (form === undefined) return undefined;
  // A display-only field has no value (V8), unless a value was stored while the field had another type.
  const forDisplay = form.fields.filter(({ component }) => definitionOf(component).holds === 'nothing');
  const ids = forDisplay.map(({ id }) => id);
  const held = await idsInUse(manager, 'submission_values', 'field_id', ids);
  const fields = form.fields.filter((field) => !forDisplay.includes(field) || held.has(field.id));
  return {
    id: form.id,
    slug,
    ...byId(fields),
    entitiesById: new Map(form.entities.map((entity) => [entity.id, entity])),
  };
}
