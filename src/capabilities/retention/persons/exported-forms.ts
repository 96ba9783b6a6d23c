import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { definitionOf } from '../../../forms/field-types.js';
import { listReader, optionIn } from '../../../forms/option-list.js';

/** The parts of a form that an export of a person's data shows. */
export interface ExportedForm {
  readonly form: { readonly uuid: string; readonly slug: string; readonly name: string };
  readonly fieldsById: ReadonlyMap<number, ExportedField>;
  readonly entitiesById: ReadonlyMap<number, ExportedEntity>;
}

interface ExportedField {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  /** Returns the labels of the chosen options. Undefined if the value chooses none. */
  readonly show: (value: string) => string | undefined;
}

interface ExportedEntity {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

interface FormRow {
  readonly uuid: string;
  readonly slug: string;
  readonly name: string;
  readonly fields: readonly FieldRow[];
  readonly entities: readonly ExportedEntity[];
}

interface FieldRow {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly component: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

const FIND_FORM = `
  select uuid, slug, name,
         (select coalesce(json_agg(json_build_object('id', fields.id, 'code', code, 'label', label, 'component', component,
                   'options', (select coalesce(json_agg(json_build_object('value', value, 'label', options.label)), '[]')
                                 from options where field_id = fields.id))), '[]')
            from fields join field_types on field_types.id = field_type_id where form_id = forms.id) as fields,
         (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'label', label)), '[]')
            from entities where form_id = forms.id) as entities
    from forms where id = $1`;

const CACHED_FORMS = 20;

/** Reads forms as they are now, and caches a few. */
export class ExportedForms {
  private readonly cache = new LRUCache<number, ExportedForm>({ max: CACHED_FORMS });

  constructor(private readonly manager: EntityManager) {}

  async find(id: number): Promise<ExportedForm> {
    const cached = this.cache.get(id);
    if (cached !== undefined) return cached;
    const [row] = await this.manager.query<[FormRow]>(FIND_FORM, [id]);
    const { fields, entities, ...form } = row;
    const found = {
      form,
      fieldsById: new Map(fields.map((field) => [field.id, { ...field, show: showOptionsOf(field) }])),
      entitiesById: new Map(entities.map((entity) => [entity.id, entity])),
    };
    this.cache.set(id, found);
    return found;
  }
}

function showOptionsOf({ component, options }: FieldRow): ExportedField['show'] {
  if (options.length === 0) return () => undefined;
  const labels = new Map(options.map(({ value, label }) => [value, label]));
  const known = new Set(labels.keys());
  if (definitionOf(component).holds !== 'options') return (value) => labels.get(optionIn(known, value) ?? '');
  const read = listReader(known);
  return (text) => {
    const values = text === '' ? undefined : read(text);
    // Do not split an ambiguous list.
    if (values === undefined || values === 'several') return undefined;
    return values.map((value) => labels.get(value)).join(', ');
  };
}
