import { randomUUID } from 'node:crypto';
import { etagOf } from '../support/answers.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const PATH = '/api/v1/forms';

describe('GET /api/v1/forms/{uuid}', () => {
  const use = useService();

  it('returns a form without credentials, with timestamps in UTC to the microsecond', async () => {
    const { dataSource } = use.database;
    const { form } = await buildForm(dataSource, {
      form: { name: 'Pâtés & "quotes" 💩', slug: 'with-everything', description: 'Line 1\nline 2' },
    });
    await dataSource.query(
      `alter table forms disable trigger forms_version;
       update forms set version = 41, created_at = '2024-02-29 23:59:59.000001+02', updated_at = '2025-01-01 00:00:00Z'
        where id = ${form.id};
       alter table forms enable trigger forms_version;`,
    );

    const answer = await use.service.anyone.get(`${PATH}/${form.uuid}`);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      data: {
        id: form.id,
        uuid: form.uuid,
        name: 'Pâtés & "quotes" 💩',
        slug: 'with-everything',
        description: 'Line 1\nline 2',
        is_active: true,
        version: 41,
        completion: null,
        access: 'token',
        proof_of_work: null,
        created_at: '2024-02-29T21:59:59.000001Z',
        updated_at: '2025-01-01T00:00:00.000000Z',
      },
    });
  });

  it('returns an inactive form with is_active false (F4)', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });

    const answer = await use.service.anyone.get(`${PATH}/${form.uuid}`);

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ uuid: form.uuid, is_active: false });
  });

  it('accepts the UUID in any letter case (F6)', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { uuid: 'abcdef00-1234-4567-89ab-cdef01234567' },
    });
    const asStored = await use.service.anyone.get(`${PATH}/${form.uuid}`);

    for (const uuid of [form.uuid.toUpperCase(), 'aBcDeF00-1234-4567-89Ab-CdEf01234567']) {
      const answer = await use.service.anyone.get(`${PATH}/${uuid}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(asStored.body);
      expect(etagOf(answer)).toBe(etagOf(asStored));
    }
  });

  it('returns 404 for a UUID that no form has', async () => {
    expectRefusal(await use.service.anyone.get(`${PATH}/${randomUUID()}`), 404);
  });

  it.each([
    'abc',
    '1',
    '0',
    'null',
    '00000000-0000-0000-0000-00000000000',
    '00000000-0000-0000-0000-0000000000000',
    '00000000-0000-0000-0000-00000000000g',
    '00000000000000000000000000000000',
    '%7B00000000-0000-0000-0000-000000000000%7D',
    '%20',
    '%00',
    '00000000-0000-0000-0000-000000000000%00',
    '00000000-0000-0000-0000-000000000000%0A',
    '%F0%9F%92%A9',
    '..%2F..%2Fetc%2Fpasswd',
    '__proto__',
    'constructor',
    "'%20or%201=1--",
  ])('returns 404 for the malformed UUID %s (F6)', async (uuid) => {
    expectRefusal(await use.service.anyone.get(`${PATH}/${uuid}`), 404);
  });

  it.each([37, 256, 1_000, 1_001, 8_000])('returns 404 for a UUID of %d characters (F6)', async (length) => {
    expectRefusal(await use.service.anyone.get(`${PATH}/${'a'.repeat(length)}`), 404);
  });

  it.each(['braces', 'no dashes'])('returns 404 for the UUID of a form written with %s (F6)', async (how) => {
    const { form } = await buildForm(use.database.dataSource);
    const written = how === 'braces' ? `%7B${form.uuid}%7D` : form.uuid.replaceAll('-', '');

    expectRefusal(await use.service.anyone.get(`${PATH}/${written}`), 404);
  });

  it.each(['%', '%zz', '%E0%A4', '%C0%80'])(
    'rejects the malformed percent-escape %s with a message',
    async (uuid) => {
      const answer = await use.service.anyone.get(`${PATH}/${uuid}`);

      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toEqual({ message: expect.stringMatching(/./) });
    },
  );

  describe('with If-None-Match (F10)', () => {
    it('returns 304 without a body if an ETag matches', async () => {
      const { form } = await buildForm(use.database.dataSource);
      const first = await use.service.anyone.get(`${PATH}/${form.uuid}`);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      const etag = etagOf(first);

      for (const known of [
        etag,
        `W/${etag}`,
        '*',
        `"other", ${etag}`,
        `"other",${etag}`,
        `${etag}, "other"`,
        `W/"a", "b" , W/${etag}`,
        `"with, comma", ${etag}`,
      ]) {
        const answer = await use.service.anyone.get(`${PATH}/${form.uuid}`, { 'If-None-Match': known });
        expect([known, answer.status, answer.body]).toEqual([known, 304, undefined]);
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.headers.get('cache-control')).toBe('no-cache');
      }
    });

    it('returns the form if no ETag matches', async () => {
      const { form } = await buildForm(use.database.dataSource);
      const first = await use.service.anyone.get(`${PATH}/${form.uuid}`);
      const etag = etagOf(first);

      for (const known of [
        '"other"',
        'W/"other"',
        '""',
        etag.slice(1, -1),
        `"x${etag.slice(1)}`,
        '"*"',
        '',
      ]) {
        const answer = await use.service.anyone.get(`${PATH}/${form.uuid}`, { 'If-None-Match': known });
        expect([known, answer.status]).toEqual([known, 200]);
        expect(answer.body).toEqual(first.body);
      }
    });

    it('returns the form with a new ETag after any change under it', async () => {
      const { form, steps } = await buildForm(use.database.dataSource);
      const first = await use.service.anyone.get(`${PATH}/${form.uuid}`);
      await use.database.dataSource.query(`update steps set title = 'New' where id = $1`, [steps[0]?.id]);

      const changed = await eventually('the change is served', async () => {
        const answer = await use.service.anyone.get(`${PATH}/${form.uuid}`, {
          'If-None-Match': etagOf(first),
        });
        return answer.status !== 304 && answer;
      });

      expect(changed.status).toBe(200);
      expect(changed.body.data.version).toBe(Number(first.body.data.version) + 1);
      expect(etagOf(changed)).not.toBe(etagOf(first));
    });

    it('returns 404, never 304, for an unknown form', async () => {
      expectRefusal(await use.service.anyone.get(`${PATH}/${randomUUID()}`, { 'If-None-Match': '*' }), 404);
    });
  });
});
