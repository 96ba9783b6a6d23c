import type { EntityManager } from 'typeorm';
import { compileForm } from '../../forms/compile-form.js';
import { FIND_FORM_BY_SLUG, type WholeFormText } from '../../forms/form.statements.js';
import { parseForm } from '../../forms/parse-form.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { HiddenValues, StoredValue } from '../../conditions/engine/index.js';
import { withComputedValues } from '../../conditions/states/computed-values.js';
import { findHiddenValueNames, valueName } from '../../submissions/completion/hidden-values.js';
import type { ExportedForm } from './exported-form.js';
import type { ExportedRow } from './submission-pages.js';

/** Finds the values of hidden fields (X1): at completion, or now if the submission is a draft. */
export class HiddenInExports {
  /** Compiled for the first draft. */
  private published: Promise<PublishedForm> | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly form: ExportedForm,
    private readonly policy: HiddenValues,
  ) {}

  async in(submission: ExportedRow): Promise<ReadonlySet<StoredValue>> {
    const names = new Set(
      submission.status === 'draft' ? await this.hiddenInDraft(submission) : submission.hidden_values,
    );
    return new Set(
      submission.values.filter(([fieldId, recordId]) => {
        const { is_repeatable: isRepeatable = false } = this.form.fieldsById.get(fieldId) ?? {};
        return names.has(valueName(fieldId, isRepeatable, recordId));
      }),
    );
  }

  private async hiddenInDraft(draft: ExportedRow): Promise<string[]> {
    const form = await (this.published ??= this.compile());
    return findHiddenValueNames(form, { ...draft, values: await withComputedValues(form, draft) });
  }

  private async compile(): Promise<PublishedForm> {
    const [form] = await this.manager.query<[WholeFormText]>(FIND_FORM_BY_SLUG.text, [this.form.slug]);
    return compileForm(await parseForm(form), { hiddenValues: this.policy, completionPolicy: 'lenient' });
  }
}
