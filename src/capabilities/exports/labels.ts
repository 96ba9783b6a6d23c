import type { EntityManager } from 'typeorm';
import type { ExportExtension, FindLabel } from '../../server/hooks.js';
import type { SubmissionExtension } from '../../submissions/entities/submission.js';
import { byId, type ExportedForm } from './exported-form.js';

/** Replaces the labels of a form by those that capabilities find. */
export class Labels {
  private readonly known = new WeakMap<FindLabel, WeakMap<ExportedForm, ExportedForm>>();

  constructor(
    private readonly manager: EntityManager,
    private readonly parts: readonly ExportExtension[],
  ) {}

  /** `version` is that of the form's labels. Null: the form as it is now. */
  async of(
    form: ExportedForm,
    version: number | null,
    submission?: SubmissionExtension,
  ): Promise<ExportedForm> {
    for (const { findLabels } of this.parts) {
      const find = await findLabels?.(this.manager, { formId: form.id, version }, submission);
      if (find !== undefined) return this.replaced(form, find);
    }
    return form;
  }

  private replaced(form: ExportedForm, find: FindLabel): ExportedForm {
    const forms = this.known.get(find) ?? new WeakMap<ExportedForm, ExportedForm>();
    this.known.set(find, forms);
    const replaced = forms.get(form) ?? withLabels(form, find);
    forms.set(form, replaced);
    return replaced;
  }
}

function withLabels(form: ExportedForm, find: FindLabel): ExportedForm {
  const fields = form.fields.map((field) => ({
    ...field,
    label: find({ fieldId: field.id }) ?? field.label,
    options: field.options.map(({ value, label }) => ({
      value,
      label: find({ fieldId: field.id, option: value }) ?? label,
    })),
  }));
  const entities = [...form.entitiesById.values()].map((entity) => ({
    ...entity,
    label: find({ entity: entity.name }) ?? entity.label,
  }));
  return { ...form, ...byId(fields), entitiesById: new Map(entities.map((entity) => [entity.id, entity])) };
}
