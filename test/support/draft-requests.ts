import type { Answer } from './client.js';
import type { Draft } from './drafts.js';

type On = Pick<Draft, 'client' | 'path'>;

/** Returns entries for `POST …/values`, by the codes of the fields. */
export const entriesOf = (values: Readonly<Record<string, string>>, record?: number) =>
  Object.entries(values).map(([field_code, value]) => ({
    ...{ field_code, value },
    ...(record !== undefined && { entity_record_id: record }),
  }));

/** Stores values by the codes of the fields, in a record if one is given. */
export async function store(
  { client, path }: On,
  values: Readonly<Record<string, string>>,
  record?: number,
): Promise<Answer> {
  const answer = await client.post(`${path}/values`, { values: entriesOf(values, record) });
  expect(answer.status).toBe(200);
  return answer;
}

/** Adds a record of the entity. Returns the record's id. */
export async function addRecord({ client, path }: On, entity: string): Promise<number> {
  const { status, body } = await client.post(`${path}/records`, { entity });
  expect(status).toBe(201);
  return body.data.id;
}

/** Returns the whole submission, for example to check that nothing was written. */
export const stateOf = async ({ client, path }: On) => (await client.get(path)).body.data;

export const complete = ({ client, path }: On, headers?: Record<string, string>): Promise<Answer> =>
  client.patch(path, { status: 'completed' }, headers);
