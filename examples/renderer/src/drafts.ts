import { NotFoundError } from 'formtrail-client';
import { UnsavedAnswers } from './draft/unsaved-answers';
import { client } from './service';

/** The submission that this person has begun of the form last, on whichever device, and has not completed. */
export async function findDraft(formUuid: string): Promise<string | undefined> {
  const { data } = await client.listSubmissions({ form_uuid: formUuid, status: 'draft', per_page: 1 });
  return data[0]?.uuid;
}

export async function beginDraft(formUuid: string): Promise<string> {
  const { data } = await client.createSubmission(formUuid);
  return data.uuid;
}

/** Deletes it, and what this device has not sent of it. */
export async function throwAway(submissionUuid: string): Promise<void> {
  try {
    await client.deleteSubmission(submissionUuid);
  } catch (error) {
    // Another window was faster.
    if (!(error instanceof NotFoundError)) throw error;
  }
  new UnsavedAnswers(submissionUuid).clear();
}
