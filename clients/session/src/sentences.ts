// A module of its own, because not every page needs English: `formtrail-session/sentences`.
import {
  type Entity,
  type Field,
  type FormtrailError,
  type InvalidError,
  type Mistake,
  type MistakeCode,
  NetworkError,
  type ProblemCode,
  type RateLimitedError,
} from 'formtrail-client';
import { English } from './english.js';
import { plainText } from './markup.js';

export { English } from './english.js';
export { withArticle } from './article.js';
export { typesText } from './english-words.js';
export { momentText, sizeText, waitText } from './formats.js';

type AnyError = Pick<InvalidError, 'code' | 'message' | 'errors'> &
  Pick<FormtrailError, 'status'> &
  Pick<RateLimitedError, 'retryAfter'>;

/** The question or group of a snapshot that has the field error, or at least the field. */
export interface Subject {
  readonly field?: Field | undefined;
  readonly entity?: Entity | undefined;
  readonly file?: { readonly name: string } | undefined;
  readonly upload?: { readonly name: string } | undefined;
}

export type Params = Mistake['params'];

export type Sentence = string | ((params: Params, subject: Subject) => string);

/**
 * The sentences of a language: one for each code of the service, one for a lost connection, and one for an error in the program of
 * the page. `label` writes the label before a sentence, with the colon that it gets unless it ends with another sign.
 */
export type Language = Readonly<
  Record<MistakeCode | ProblemCode | 'connection_lost' | 'page_at_fault', Sentence> & {
    label?: (params: { readonly label: string; readonly colon: ':' | '' }) => string;
  }
>;

/** Turns errors into sentences for the person who fills in the form. By default, they are English. */
export function sentences(language: Language = English) {
  const say = (code: string | undefined, params: Mistake['params'] = {}, subject: Subject = {}) => {
    const sentence = Object.hasOwn(language, code ?? '') ? language[code as MistakeCode] : undefined;
    return typeof sentence === 'function' ? sentence(params, subject) : sentence;
  };

  /** Sentence to show beside the question, where the label is shown too. */
  const mistake = ({ code, params, detail }: Mistake, subject?: Subject): string => {
    // The author of the form has written this sentence. Older services do not say so.
    if (params['authored'] === true || subject?.field?.rules.some(({ message }) => message === detail))
      return detail;
    // A newer service may have codes without a sentence here.
    return say(code, params, subject) ?? detail;
  };

  /** Sentence for a list of field errors: with the label of the question or group, unless a sentence about a missing answer has it. */
  const labelled = (error: Mistake, subject: Subject): string => {
    const sentence = mistake(error, subject);
    const written = subject.field?.label ?? subject.entity?.label;
    if (written === undefined) return sentence;
    const label = plainText(written);
    // "Enter your first name."
    const isNamed = error.code === 'required' && sentence.toLowerCase().endsWith(` ${label.toLowerCase()}.`);
    if (isNamed) return sentence;
    const colon = /[?.!:؟]$/.test(label) ? '' : ':';
    return `${language.label?.({ label, colon }) ?? label + colon} ${sentence}`;
  };

  /** Sentence for a failed action or upload: for an error that the client has thrown. */
  const problem = (error: unknown): string => {
    const { code, message, status, errors, retryAfter } = (error ?? {}) as Partial<AnyError>;
    if (error instanceof NetworkError) return say('connection_lost') ?? error.message;
    if (errors?.[0]) return mistake(errors[0]);
    // A response without a code comes from a proxy.
    const otherwise = status === 429 ? 'too_many_requests' : status ? 'server_error' : 'page_at_fault';
    return say(code ?? otherwise, { seconds: retryAfter }) ?? String(message);
  };

  return { mistake, labelled, problem };
}
