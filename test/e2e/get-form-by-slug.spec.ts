import { etagOf } from '../support/answers.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const bySlug = (slug: string) => `/api/v1/forms/${slug}/by-slug`;

describe('GET /api/v1/forms/{slug}/by-slug', () => {
  const use = useService();

  it.each(['a', '0', 'job-application-2026', 'by-slug', 'schema', 'constructor'])(
    'returns the form with the slug %s exactly as by its UUID, without credentials (F5)',
    async (slug) => {
      const { form } = await buildForm(use.database.dataSource, { form: { slug } });

      const answer = await use.service.anyone.get(bySlug(slug));

      const byUuid = await use.service.anyone.get(`/api/v1/forms/${form.uuid}`);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ id: form.id, uuid: form.uuid, slug });
      expect(answer.body).toEqual(byUuid.body);
      expect(etagOf(answer)).toBe(etagOf(byUuid));
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    },
  );

  it('finds a slug of 255 characters, the maximum (F5)', async () => {
    const slug = 'x'.repeat(255);
    const { form } = await buildForm(use.database.dataSource, { form: { slug } });

    expect((await use.service.anyone.get(bySlug(slug))).body.data.uuid).toBe(form.uuid);
    expectRefusal(await use.service.anyone.get(bySlug(`${slug}x`)), 404);
  });

  it('returns the form whose slug looks like a UUID, not the form with that UUID', async () => {
    const { form: other } = await buildForm(use.database.dataSource);
    const { form } = await buildForm(use.database.dataSource, { form: { slug: other.uuid } });

    expect((await use.service.anyone.get(bySlug(other.uuid))).body.data.uuid).toBe(form.uuid);
    expect((await use.service.anyone.get(`/api/v1/forms/${other.uuid}`)).body.data.uuid).toBe(other.uuid);
    expectRefusal(await use.service.anyone.get(bySlug(form.uuid)), 404);
  });

  it('returns an inactive form with is_active false (F4)', async () => {
    await buildForm(use.database.dataSource, { form: { slug: 'inactive', isActive: false } });

    const answer = await use.service.anyone.get(bySlug('inactive'));

    expect(answer.status).toBe(200);
    expect(answer.body.data.is_active).toBe(false);
  });

  it('decodes unnecessary percent-escapes', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { slug: 'es-cape' } });

    expect((await use.service.anyone.get(bySlug('%65s%2Dcape'))).body.data.uuid).toBe(form.uuid);
  });

  it.each([
    'unknown',
    'UNKNOWN',
    '-',
    '-a',
    'a-',
    'a--b',
    'a_b',
    'a b',
    'a%2Fb',
    'a%3Fb',
    '%2E%2E',
    '%00',
    'unknown%00',
    '%0A',
    '%20',
    '%25',
    '%C3%A9',
    '%F0%9F%92%A9',
    '%EF%BF%BD',
    '__proto__',
    "'%20or%201=1--",
  ])('returns 404 for the slug %s, which no form has', async (slug) => {
    expectRefusal(await use.service.anyone.get(bySlug(slug)), 404);
  });

  it.each([256, 1_000, 1_001, 2_500])(
    'returns 404 for a slug of %d characters, escaped or not',
    async (length) => {
      expectRefusal(await use.service.anyone.get(bySlug('x'.repeat(length))), 404);
      expectRefusal(await use.service.anyone.get(bySlug('%78'.repeat(length))), 404);
    },
  );

  it.each(['%', '%zz', '%E0%A4', '%C0%80', '%ED%A0%80'])(
    'rejects the malformed percent-escape %s with a message',
    async (slug) => {
      const answer = await use.service.anyone.get(bySlug(slug));

      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toEqual({ message: expect.stringMatching(/./) });
    },
  );

  it('returns 404 for a slug in another letter case, truncated or with a suffix (F5)', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { slug: 'exact-slug' } });
    expect((await use.service.anyone.get(bySlug('exact-slug'))).body.data.uuid).toBe(form.uuid);

    for (const slug of [
      'Exact-Slug',
      'EXACT-SLUG',
      'exact-slug%20',
      'exact-slug%00',
      'exact-slug%0A',
      'exact',
    ]) {
      expectRefusal(await use.service.anyone.get(bySlug(slug)), 404);
    }
  });

  it('returns 304 for a current ETag, also weak, in a list or as *, and 200 after a change (F10)', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const first = await use.service.anyone.get(bySlug(form.slug));
    const etag = etagOf(first);

    for (const known of [etag, `W/${etag}`, '*', `"other", W/${etag}`]) {
      const answer = await use.service.anyone.get(bySlug(form.slug), { 'If-None-Match': known });
      expect([known, answer.status, answer.body]).toEqual([known, 304, undefined]);
      expect(answer.headers.get('etag')).toBe(etag);
    }
    expect((await use.service.anyone.get(bySlug(form.slug), { 'If-None-Match': '"other"' })).status).toBe(
      200,
    );

    await use.database.dataSource.query(`update forms set description = 'New' where id = $1`, [form.id]);
    const changed = await eventually('the change is served', async () => {
      const answer = await use.service.anyone.get(bySlug(form.slug), { 'If-None-Match': etag });
      return answer.status !== 304 && answer;
    });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({ description: 'New', version: 2 });
    expect(etagOf(changed)).not.toBe(etag);
  });
});
