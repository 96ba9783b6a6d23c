import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { FormSchemaResponse } from '../../forms/dto/form-schema.response.js';
import { FormVersion } from '../../forms/entities/form-version.js';
import { readKeptSchema } from '../../forms/kept-schema.js';
import type { SubmissionExtension } from '../../submissions/entities/submission.js';
import { byId, type ExportedForm } from './exported-form.js';
import type { Labels } from './labels.js';

const CACHED_VERSIONS = 20;

/** Finds the labels and options that the people who completed a submission saw (N3). */
export class ShownForms {
  private readonly forms = new LRUCache<number, ExportedForm>({ max: CACHED_VERSIONS });

  private readonly unreadable = new Set<number>();

  constructor(
    private readonly manager: EntityManager,
    private readonly form: ExportedForm,
    private readonly labels: Labels,
  ) {}

  /** Names the versions whose rows hold no schema. Their submissions are shown as those of a version that was not kept. */
  warnings(): string[] {
    if (this.unreadable.size === 0) return [];
    const versions = [...this.unreadable].sort((one, other) => one - other).join(', ');
    return [
      `Submissions completed in these versions have the current labels, because form_versions contains no valid schema of them: ${versions}.`,
    ];
  }

  /**
   * Returns the form as a submission showed it, in this version. Null, or a version that was not kept: the form as it is now. Without a
   * submission: for the names of columns.
   */
  async of(version: number | null, submission?: SubmissionExtension): Promise<ExportedForm> {
    const form = await this.version(version);
    return this.labels.of(form, form === this.form ? null : version, submission);
  }

  private async version(version: number | null): Promise<ExportedForm> {
    if (version === null) return this.form;
    const cached = this.forms.get(version);
    if (cached !== undefined) return cached;
    const kept = await this.manager.findOneBy(FormVersion, { formId: this.form.id, version });
    const schema = readKeptSchema(kept?.schema);
    if (kept !== null && schema === undefined) this.unreadable.add(version);
    const shown = schema === undefined ? this.form : withLabelsOf(this.form, schema);
    this.forms.set(version, shown);
    return shown;
  }

  /** Returns the form as it was in the newest version in which a submission was completed. */
  async newest(): Promise<ExportedForm> {
    return this.of(await this.manager.maximum(FormVersion, 'version', { formId: this.form.id }));
  }
}

/** Replaces labels and options. A field that the schema lacks keeps its own, because a value may have been stored earlier. */
function withLabelsOf(form: ExportedForm, { steps, entities }: FormSchemaResponse): ExportedForm {
  const fieldsById = new Map(steps.flatMap(({ fields }) => fields).map((field) => [field.id, field]));
  const labelsByName = new Map(entities.map(({ name, label }) => [name, label]));
  const fields = form.fields.map((field) => {
    const shown = fieldsById.get(field.id);
    if (shown === undefined) return field;
    const { label, options, field_type } = shown;
    return { ...field, label, options, component: field_type.component };
  });
  return {
    ...form,
    ...byId(fields),
    entitiesById: new Map(
      [...form.entitiesById].map(([id, entity]) => {
        const { label } = entity;
        return [id, { ...entity, label: labelsByName.get(entity.name) ?? label }];
      }),
    ),
  };
}
