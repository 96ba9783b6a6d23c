import { type FormSchema, type FormtrailClient, NotFoundError } from 'formtrail-client';
import type { Prefill } from './prefill.js';
import { StoredSubmission } from './stored-submission.js';
import { type DraftStorage, UnsavedAnswers } from './unsaved-answers.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface DraftOptions {
  readonly client: FormtrailClient;
  /** Slug or UUID of the form. */
  readonly form: string;
  /** UUID of the submission, or null for a new draft. Defaults to the user's newest draft of the form, or a new one if there is none. */
  readonly submission?: string | null | undefined;
  /**
   * Stores answers on the device until they are saved, and the token of a respondent. Defaults to `localStorage`, if the environment
   * has it. For respondents, defaults to `sessionStorage`, or with `remember` to `localStorage`.
   */
  readonly storage?: DraftStorage | undefined;
  /** Keeps the token of a respondent when the tab is closed. Do not set it on shared devices. */
  readonly remember?: boolean | undefined;
  /**
   * Values to begin with, by the code of the field, for example from the address of the page. They replace the default values of fields
   * with `"prefill": true` in their `meta`. Other values are ignored, and the console says why.
   */
  readonly prefill?: Prefill | undefined;
  /**
   * Language of the form and the submission, as a BCP 47 tag such as `de-AT`. By default, and for a language that the form does not have,
   * the form is in the language of the submission, or in its own. See {@link Draft.setLocale}.
   */
  readonly locale?: string | undefined;
}

/** Maximum number of characters of a tag (L2). */
const LONGEST_TAG = 35;

/**
 * Returns the tag in canonical letter case.
 *
 * @throws RangeError if it is malformed
 */
export function canonicalTag(tag: string | undefined): string | undefined {
  try {
    if (tag === undefined) return tag;
    if (tag.length <= LONGEST_TAG) return new Intl.Locale(tag).toString();
  } catch {
    // It is malformed.
  }
  throw new RangeError(`"${tag}" is not a language tag, such as de-AT.`);
}

/** An older service does not say which languages a form has. */
export function isMultilingual({ locales }: Partial<FormSchema>): boolean {
  return locales?.[1] !== undefined;
}

/** Whether the form has opening times, limits or places (D1). */
export function isLimited({
  opens_at,
  closes_at,
  max_submissions,
  max_per_user,
  steps,
}: FormSchema): boolean {
  const options = steps.flatMap(({ fields }) => fields.flatMap((field) => field.options));
  return (
    [opens_at, closes_at, max_submissions, max_per_user].some(Boolean) ||
    options.some(({ places }) => typeof places === 'number')
  );
}

/**
 * Reads the submission, or the form if there is none: then the submission begins with the first answer. If the client has no token,
 * calls `visit`, and continues with the options that it returns.
 */
export async function openSubmission(
  options: DraftOptions,
  locale: string | undefined,
  visit: (schema: FormSchema) => Promise<DraftOptions>,
): Promise<StoredSubmission> {
  const { form } = options;
  const uuid = UUID.test(form) ? form : (await options.client.getFormBySlug(form)).data.uuid;
  const token = await tokenOf(options.client);
  const reading = options.client.getFormSchema(uuid, { locale }).then(({ data }): FormSchema => data);
  const own = token === undefined ? await visit(await reading) : options;
  const { client } = own;
  // A visitor without a token has no draft yet. For all others, the service also checks the token.
  const isNew =
    token === undefined && (await reading).access === 'public' && (await tokenOf(client)) === undefined;
  const [schema, newest] = await Promise.all([
    reading,
    own.submission || isNew ? undefined : newestDraft(client, uuid),
  ]);
  const found = own.submission === undefined ? newest : own.submission;
  const submission = new StoredSubmission(client, schema, found ?? '', locale);
  await submission.refresh();
  // The user has not seen an earlier version of the form, so there is no change to explain.
  submission.explain = undefined;
  return submission;
}

/**
 * The device's name for answers to a form before the draft is begun. It depends on the token, so that no other user of this browser sees
 * them.
 */
export async function earlyOwner({ client }: DraftOptions, { uuid }: FormSchema): Promise<string> {
  let digest = 0;
  for (const letter of (await tokenOf(client)) ?? '')
    digest = (Math.imul(digest, 31) + letter.charCodeAt(0)) | 0;
  return `${uuid}.${digest}`;
}

export function unsavedAnswers(submission: string, storage: DraftStorage | undefined): UnsavedAnswers {
  return new UnsavedAnswers(submission, () => storage ?? globalThis.localStorage);
}

/**
 * Deletes a draft, and its unsaved answers on this device. Succeeds if the draft does not exist; rejects with any other error of the
 * client.
 */
export async function discardDraft({
  client,
  submission,
  storage,
}: Pick<DraftOptions, 'client' | 'storage'> & { readonly submission: string }): Promise<void> {
  try {
    await client.deleteSubmission(submission);
  } catch (error) {
    // Another window has deleted the draft already.
    if (!(error instanceof NotFoundError)) throw error;
  }
  unsavedAnswers(submission, storage).clear();
}

export async function tokenOf({ options: { token } }: FormtrailClient): Promise<string | undefined> {
  return typeof token === 'function' ? token() : token;
}

/** UUID of the user's newest draft of the form, from any device. */
export async function newestDraft(client: FormtrailClient, form_uuid: string): Promise<string | undefined> {
  return (await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 })).data[0]?.uuid;
}
