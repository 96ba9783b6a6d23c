import { type FormSchema, type FormtrailClient, NotFoundError } from 'formtrail-client';
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
   * Stores answers on the device until they are saved. Defaults to `localStorage`, if the environment has it. The token of a respondent
   * is stored here too; then the default is `sessionStorage`, or `localStorage` with `remember`.
   */
  readonly storage?: DraftStorage | undefined;
  /** Keeps the token of a respondent when the tab is closed. Do not set it on shared devices. */
  readonly remember?: boolean | undefined;
}

/**
 * Repeated calls with the same `beginKey` create one draft only. If the client has no token, calls `begin`, which can make the visitor a
 * respondent, and continues with the options that it returns.
 */
export async function openSubmission(
  options: DraftOptions,
  beginKey: string,
  begin: (schema: FormSchema) => Promise<DraftOptions>,
): Promise<StoredSubmission> {
  const { form } = options;
  const uuid = UUID.test(form) ? form : (await options.client.getFormBySlug(form)).data.uuid;
  const token = await tokenOf(options.client);
  const reading = options.client.getFormSchema(uuid).then(({ data }): FormSchema => data);
  const { client, submission } = token === undefined ? await begin(await reading) : options;
  const [schema, found] = await Promise.all([
    reading,
    submission === undefined ? newestDraft(client, uuid) : submission,
  ]);
  return found
    ? StoredSubmission.read(client, schema, found)
    : StoredSubmission.begin(client, schema, beginKey);
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

async function tokenOf({ options: { token } }: FormtrailClient): Promise<string | undefined> {
  return typeof token === 'function' ? token() : token;
}

/** UUID of the user's newest draft of the form, from any device. */
async function newestDraft(client: FormtrailClient, form_uuid: string): Promise<string | undefined> {
  return (await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 })).data[0]?.uuid;
}
