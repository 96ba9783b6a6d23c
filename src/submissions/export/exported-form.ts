import type { EntityManager } from 'typeorm';
import { fieldsWithValues } from '../../forms/definitions/check-stored.js';
import { DISPLAY_COMPONENTS, FILE_COMPONENT } from '../../forms/field-types.js';

/** What an export has to know of a form. */
export interface ExportedForm {
  readonly id: number;
  /** Those that can hold values, in the order of the schema (F7). */
  readonly fields: readonly ExportedField[];
}

export interface ExportedField {
  readonly id: number;
  readonly code: string;
  readonly is_repeatable: boolean;
  readonly entity_id: number | null;
  /** Whether its values may stand for files (U3). */
  readonly takes_files: boolean;
}

// V8: display-only fields hold no value, unless they were of another type when it was stored.
const FIND_FORM = `
  select forms.id,
         (select coalesce(json_agg(json_build_object('id', fields.id, 'code', code, 'is_repeatable', fields.is_repeatable,
                   'entity_id', entity_id, 'is_for_display', component = any ($2),
                   'takes_files', component = '${FILE_COMPONENT}')
                 order by step_number, "order", fields.id), '[]')
            from fields join steps on steps.id = step_id join field_types on field_types.id = field_type_id
           where fields.form_id = forms.id) as fields
    from forms where slug = $1`;

interface FoundForm {
  readonly id: number;
  readonly fields: readonly (ExportedField & { readonly is_for_display: boolean })[];
}

/** Undefined where no form has the slug. */
export async function findExportedForm(
  manager: EntityManager,
  slug: string,
): Promise<ExportedForm | undefined> {
  const [form] = await manager.query<FoundForm[]>(FIND_FORM, [slug, [...DISPLAY_COMPONENTS]]);
  if (form === undefined) return undefined;
  const forDisplay = form.fields.filter(({ is_for_display }) => is_for_display).map(({ id }) => id);
  const held = await fieldsWithValues(manager, forDisplay);
  const fields = form.fields.flatMap(({ is_for_display, ...field }) =>
    !is_for_display || held.has(field.id) ? [field] : [],
  );
  return { id: form.id, fields };
}
