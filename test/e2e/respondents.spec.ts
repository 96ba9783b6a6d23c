import { client } from '../support/client.js';
import { complete, store } from '../support/draft-requests.js';
import { announcementOf } from '../support/files.js';
import { itOnOneServer, onOneServer } from '../support/it-on-one-server.js';
import { bearer, hashOf, newRespondent, publicForm } from '../support/respondents.js';
import { useService } from '../support/service.js';

const use = useService();

itOnOneServer.each(['', '/schema'])(
  'GET /api/v1/forms/{uuid}%s shows who may begin the form, after its completion policy (P1, P7)',
  async (path) => {
    const { form } = await publicForm(use, { form: { proofOfWork: 1_000 } });
    const body = await (await fetch(`${use.service.url}/api/v1/forms/${form.uuid}${path}`)).text();
    expect(body).toMatch(
      /"completion":null,"access":"public","proof_of_work":1000,.*"max_per_user":null,"locale":null,"locales":\[\],"(created_at|time_zone)":/,
    );
  },
);

onOneServer('POST /api/v1/respondents', () => {
  it('issues a token for a public form, with which a submission can be filled in (P2)', async () => {
    const { form } = await publicForm(use);
    const before = Date.now();

    const { status, headers, body } = await use.service.anyone.post('/api/v1/respondents', {
      form_uuid: form.uuid,
    });

    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 201, cache: 'no-store' });
    expect(body).toEqual({
      data: { token: expect.stringMatching(/^ftr_[\w-]{43}$/), expires_at: expect.any(String) },
    });
    const days = (Date.parse(body.data.expires_at) - before) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);

    const respondent = client(use.service.url, bearer(body.data.token));
    const draft = await respondent.post('/api/v1/submissions', { form_uuid: form.uuid });
    expect(draft.status).toBe(201);
    const own = { client: respondent, path: `/api/v1/submissions/${draft.body.data.uuid}` };
    await store(own, { name: 'Ada' });
    expect((await complete(own)).status).toBe(200);
    expect((await respondent.get('/api/v1/submissions')).body.data).toHaveLength(1);

    const rows = await use.database.dataSource.query(
      `select users.email, form_id, is_preview, is_renewable, name from api_tokens
         join users on users.id = user_id join respondents using (user_id) where token_hash = $1`,
      [hashOf(body.data.token)],
    );
    expect(rows).toEqual([
      { email: null, form_id: form.id, is_preview: false, is_renewable: true, name: null },
    ]);
  });

  it('is 422 for an unknown, malformed, inactive or non-public form', async () => {
    const inactive = await publicForm(use, { form: { isActive: false } });
    const closed = await publicForm(use, { form: { access: 'token' } });
    for (const [form_uuid, code] of [
      ['1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'unknown_form'],
      ['none', 'unknown_form'],
      [inactive.form.uuid, 'inactive_form'],
      [closed.form.uuid, 'form_not_public'],
    ]) {
      const { status, body } = await use.service.anyone.post(
        '/api/v1/respondents',
        { form_uuid },
        { Accept: 'application/problem+json' },
      );
      expect({ status, errors: body.errors }).toEqual({
        status: 422,
        errors: [{ field: 'form_uuid', code, detail: expect.any(String), params: {} }],
      });
    }
  });
});

onOneServer('a respondent', () => {
  itOnOneServer(
    'stores at most 25 MiB of files in all, even if five drafts create uploads at once (P6)',
    async () => {
      const built = await publicForm(use, { steps: [{ cv: { type: 'file' } }] });
      const { client: respondent } = await newRespondent(use, built);
      const drafts: string[] = [];
      for (let at = 0; at < 5; at += 1) {
        const { body } = await respondent.post('/api/v1/submissions', { form_uuid: built.form.uuid });
        drafts.push(body.data.uuid);
      }
      const answers = await Promise.all(
        drafts.map((draft) =>
          respondent.post(`/api/v1/submissions/${draft}/files`, {
            ...announcementOf(Buffer.from('x')),
            size: 24 * 2 ** 20,
          }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422]);
      expect(answers.find(({ status }) => status === 422)?.body.errors).toEqual({
        size: [
          'All files of this user must have at most 26214400 bytes together. Delete files or drafts to make room.',
        ],
      });
    },
  );
});
