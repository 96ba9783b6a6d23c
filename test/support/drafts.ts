import type { Form } from '../../src/entities.js';
import { type BuiltForm, buildForm, type FieldPlan, type FormPlan } from './forms.js';
import type { Client } from './client.js';
import { newUser, type Service } from './service.js';
import type { TestDatabase } from './test-database.js';

export interface Draft extends BuiltForm {
  readonly client: Client;
  readonly userId: number;
  readonly uuid: string;
  /** The path of the submission. */
  readonly path: string;
}

interface Use {
  readonly database: TestDatabase;
  readonly service: Service;
}

/** Creates a form, a new user, and a submission of that user. */
export async function newDraft(
  use: Use,
  steps?: readonly Record<string, FieldPlan>[],
  form?: Partial<Form>,
): Promise<Draft> {
  return newDraftOf(use, { ...(form && { form }), ...(steps && { steps }) });
}

/** Like {@link newDraft}, for a form with entities or with conditions of steps. */
export async function newDraftOf(use: Use, plan: FormPlan): Promise<Draft> {
  const built = await buildForm(use.database.dataSource, plan);
  const { client, id: userId } = await newUser(use);
  return { ...built, client, userId, ...(await createDraft(client, built)) };
}

/** Creates another submission to the form. */
export async function createDraft(
  client: Client,
  { form }: BuiltForm,
): Promise<{ uuid: string; path: string }> {
  const { status, body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
  expect(status).toBe(201);
  const uuid: string = body.data.uuid;
  return { uuid, path: `/api/v1/submissions/${uuid}` };
}
