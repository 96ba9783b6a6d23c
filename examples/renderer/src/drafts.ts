import { client } from './service';
import { deviceTexts } from './storage';

const nameOf = (formUuid: string) => `draft:${formUuid}`;

/** The submission that this person has begun of the form on this device, and has not completed. */
export function findDraft(formUuid: string): string | undefined {
  return deviceTexts.get(nameOf(formUuid));
}

export async function beginDraft(formUuid: string): Promise<string> {
  const { data } = await client.createSubmission(formUuid);
  deviceTexts.set(nameOf(formUuid), data.uuid);
  return data.uuid;
}

export function forgetDraft(formUuid: string): void {
  deviceTexts.delete(nameOf(formUuid));
}
