import type { DataSource } from 'typeorm';
import { Translation } from '../../src/entities.js';
import type { BuiltForm } from './forms.js';

export type Place = Partial<Pick<Translation, 'stepId' | 'fieldId' | 'optionId' | 'entityId' | 'ruleId'>>;

/** A text: the part of the form, the key, and the text. */
export type TextPlan = readonly [place: Place, key: string, text: string];

/** Writes texts of a form in a language, as the administration panel does. */
export async function translate(
  dataSource: DataSource,
  { form }: Pick<BuiltForm, 'form'>,
  locale: string,
  texts: readonly TextPlan[],
): Promise<void> {
  const rows = texts.map(([place, key, text]) => ({ ...place, formId: form.id, locale, key, text }));
  await dataSource.getRepository(Translation).insert(rows);
}
