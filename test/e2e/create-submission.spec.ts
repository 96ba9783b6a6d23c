import { buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('POST /api/v1/submissions', () => {
  const use = useService();

  it('creates a draft at step 1, names it in Location and gives it an ETag', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);

    const answer = await client.post('/api/v1/submissions', { form_uuid: form.uuid });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        uuid: expect.stringMatching(UUID_V7),
        form_id: form.id,
        status: 'draft',
        current_step: 1,
        meta: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    });
    expect(answer.headers.get('location')).toBe(`${use.service.url}/api/v1/submissions/${answer.body.data.uuid}`);
    expect(answer.headers.get('etag')).toBe(`"${answer.body.data.updated_at}"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});
