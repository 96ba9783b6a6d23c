import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Executor } from '../../database/statement.js';
import type { FormExtension } from '../../forms/entities/form.js';
import { ExtendsForm, type FormExtender, type FormView } from '../../forms/form-extenders.js';
import type { FormRow } from '../../forms/form.statements.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { invalidDataProblem } from '../../http/errors/problems.js';
import { KeptLanguagesService } from './kept-languages.service.js';
import { lookupChain } from '../../forms/language-tag.js';
import { headersIn, matchingTags, readTag } from './language-tag.js';
import { malformedLocaleError } from './problems.js';
import { FIND_NAMES } from './texts.statements.js';
import { nameOf, translated } from './translated-schema.js';
import { TranslatedFormsService } from './translated-forms.service.js';

/** Shows forms in the language that the parameter `locale` names (L2). */
@ExtendsForm()
@Injectable()
export class FormLanguages implements FormExtender {
  constructor(
    private readonly database: Database,
    private readonly translatedForms: TranslatedFormsService,
    private readonly kept: KeptLanguagesService,
  ) {}

  headersOf({ locale }: Partial<FormExtension>) {
    return headersIn(locale);
  }

  viewOf(query: { readonly locale?: unknown }): FormView | undefined {
    if (query.locale === undefined) return undefined;
    const tag = readTag(query.locale);
    if (tag === undefined) throw invalidDataProblem({ locale: [malformedLocaleError()] });
    return {
      parameters: { locale: tag },
      list: (forms) => this.list(forms, tag),
      form: async (form) => (await this.translatedForms.in(tag, form)).formBody,
      schema: async (form) => (await this.translatedForms.in(tag, form)).schemaBody,
      keptSchema: (form, version) => this.kept.schema(form, version, tag),
    };
  }

  keep(executor: Executor, form: PublishedForm): Promise<void> {
    return this.kept.keep(executor, form);
  }

  private async list(forms: readonly FormRow[], tag: string): Promise<readonly FormRow[]> {
    const tagsOf = ({ extension }: FormRow) => matchingTags(tag, extension.locale, extension.locales);
    const ids = forms.filter((form) => tagsOf(form).length > 0).map(({ id }) => id);
    if (ids.length === 0) return forms;
    const found = await this.database.query(FIND_NAMES, [ids, lookupChain(tag)]);
    const textsById = new Map(found.map(({ form_id, texts }) => [form_id, texts]));
    return forms.map((form) => {
      const tags = tagsOf(form);
      const [locale] = tags;
      if (locale === undefined) return form;
      const texts = new Map<string, string>();
      for (const [own, key, text] of textsById.get(form.id) ?? [])
        if (tags.includes(own)) texts.set(nameOf(key, 'form'), text);
      return {
        ...form,
        name: translated(texts, form.name, 'name', 'form'),
        description: translated(texts, form.description, 'description', 'form'),
        extension: { ...form.extension, locale },
      };
    });
  }
}
