import { Injectable } from '@nestjs/common';
import type { Executor } from '../../database/statement.js';
import { nameOfRule } from '../../forms/named-texts.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { invalidDataProblem } from '../../http/errors/problems.js';
import type { SubmissionExtension } from '../../submissions/entities/submission.js';
import {
  ExtendsSubmission,
  type FindMessage,
  type SubmissionExtender,
} from '../../submissions/submission-extenders.js';
import { matchingTags, readTag } from './language-tag.js';
import { malformedLocaleError } from './problems.js';
import { nameOf } from './translated-schema.js';
import { TranslatedFormsService } from './translated-forms.service.js';

/** Stores the language of a submission, and says what is wrong in it (L3). */
@ExtendsSubmission()
@Injectable()
export class SubmissionLanguage implements SubmissionExtender {
  constructor(private readonly translatedForms: TranslatedFormsService) {}

  columnsIn({ locale }: { readonly locale?: unknown }): Partial<SubmissionExtension> | undefined {
    if (locale === undefined) return undefined;
    const tag = locale === null ? null : readTag(locale);
    if (tag === undefined) throw invalidDataProblem({ locale: [malformedLocaleError()] });
    return { locale: tag };
  }

  messagesFor(
    executor: Executor,
    form: PublishedForm,
    { locale }: SubmissionExtension,
  ): Promise<FindMessage> | undefined {
    const { locale: own, locales } = form.extension;
    return locale === null || matchingTags(locale, own, locales).length === 0
      ? undefined
      : this.messagesIn(executor, form, locale);
  }

  private async messagesIn(executor: Executor, form: PublishedForm, locale: string): Promise<FindMessage> {
    const { texts } = await this.translatedForms.in(locale, form, executor);
    return ({ id }, { kind, otherFieldCode, message }) => {
      if (message === null) return null;
      const rule = nameOfRule({ kind, other_field_code: otherFieldCode });
      return texts?.get(nameOf('message', `rule ${id} ${rule}`)) ?? message;
    };
  }
}
