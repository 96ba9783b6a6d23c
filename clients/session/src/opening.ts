import { type FormSchema, type FormtrailClient, NotFoundError } from 'formtrail-client';
import { StoredSubmission } from './stored-submission.js';
import { type DraftStorage, UnsavedAnswers } from './unsaved-answers.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface DraftOptions {
  readonly client: FormtrailClient;
  /** Slug or UUID of the form. */
  readonly form: string;
  /** UUID of the submission. Defaults to the user's newest draft of the form, or a new draft if there is none. */
  readonly submission?: string | undefined;
  /** Stores answers on the device until they are saved. Defaults to `localStorage`, if the environment has it. */
  readonly storage?: DraftStorage | undefined;
}

/** Repeated calls with the same `beginKey` create one draft only. */
export async function openSubmission(
  { client, form, submission }: DraftOptions,
  beginKey: string,
): Promise<StoredSubmission> {
  const uuid = UUID.test(form) ? form : (await client.getFormBySlug(form)).data.uuid;
  const [schema, found] = await Promise.all([
    client.getFormSchema(uuid).then(({ data }): FormSchema => data),
    submission ?? newestDraft(client, uuid),
  ]);
  return found === undefined
    ? StoredSubmission.begin(client, schema, beginKey)
    : StoredSubmission.read(client, schema, found);
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

/** UUID of the user's newest draft of the form, from any device. */
async function newestDraft(client: FormtrailClient, form_uuid: string): Promise<string | undefined> {
  const { data } = await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 });
  return data[0]?.uuid;
}
