import { type FormSchema, type FormtrailClient, NotFoundError } from 'formtrail-client';
import { StoredSubmission } from './stored-submission.js';
import { type DraftStorage, UnsavedAnswers } from './unsaved-answers.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface DraftOptions {
  readonly client: FormtrailClient;
  /** The slug of the form, or its UUID. */
  readonly form: string;
  /** The UUID of the submission; without one it is the user's newest draft of the form, or a new one. */
  readonly submission?: string | undefined;
  /** Where answers are kept until the service has them; by default `localStorage`, where there is one. */
  readonly storage?: DraftStorage | undefined;
}

/** With the same key one draft is begun, however often it is asked for. */
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

/** Deletes a draft, and what this device has not sent of it. */
export async function discardDraft({
  client,
  submission,
  storage,
}: Pick<DraftOptions, 'client' | 'storage'> & { readonly submission: string }): Promise<void> {
  try {
    await client.deleteSubmission(submission);
  } catch (error) {
    // Another window was faster.
    if (!(error instanceof NotFoundError)) throw error;
  }
  unsavedAnswers(submission, storage).clear();
}

/** Of this user, begun on whichever device. */
async function newestDraft(client: FormtrailClient, form_uuid: string): Promise<string | undefined> {
  const { data } = await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 });
  return data[0]?.uuid;
}
