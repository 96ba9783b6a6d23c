import { ApiClient, type RecordJSON } from 'adminjs';
import type { FormOutlineJson } from './form-outline-json.ts';

/** Loads the data of the page of a form. */
export async function loadOutline(formId: number): Promise<FormOutlineJson> {
  const { data } = await new ApiClient().recordAction({
    resourceId: 'forms',
    recordId: String(formId),
    actionName: 'show',
  });
  return outlineIn(data.record);
}

export const outlineIn = ({ params }: RecordJSON) => JSON.parse(String(params['outline'])) as FormOutlineJson;

/** Names that a new field of the form cannot have as its code: the codes of its fields, and the names of its entities. */
export function namesIn({ steps, entities }: FormOutlineJson): ReadonlySet<string> {
  const codes = steps.flatMap(({ fields }) => fields).map(({ code }) => code);
  return new Set([...codes, ...entities.map(({ name }) => name)]);
}
