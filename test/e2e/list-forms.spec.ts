import { Form } from '../../src/entities.js';
import { etagOf, TIMESTAMP } from '../support/answers.js';
import { buildForm } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { expectInvalid } from '../support/refusal.js';
import { startService, useService } from '../support/service.js';

const PATH = '/api/v1/forms';

function presented(form: Form) {
  return {
    id: form.id,
    uuid: form.uuid,
    name: form.name,
    slug: form.slug,
    description: form.description,
    is_active: true,
    version: 1,
    completion: null,
    access: 'token',
    proof_of_work: null,
    created_at: expect.stringMatching(TIMESTAMP),
    updated_at: expect.stringMatching(TIMESTAMP),
  };
}

describe('GET /api/v1/forms', () => {
  const use = useService();

  it('lists the active forms by id, without credentials, and leaves out inactive ones (F1, F4)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const { form: second } = await buildForm(database.dataSource, {
        form: { id: 900, name: 'Äpfel', description: 'All about apples.' },
      });
      const { form: first } = await buildForm(database.dataSource, { form: { id: 7, name: 'Zebras' } });
      await buildForm(database.dataSource, { form: { isActive: false } });

      const answer = await service.anyone.get(PATH);

      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const only = `${service.url}${PATH}?page=1`;
      expect(answer.body).toEqual({
        data: [presented(first), presented(second)],
        links: { first: only, last: only, prev: null, next: null },
        meta: { current_page: 1, last_page: 1, per_page: 15, total: 2 },
      });
    }));

  it('keeps its order while forms are edited (F1)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const ids: number[] = [];
      for (let made = 0; made < 4; made += 1) ids.push((await buildForm(database.dataSource)).form.id);
      await database.dataSource.query(`update forms set name = 'Edited' where id = $1`, [ids[1]]);

      const { body } = await service.anyone.get(PATH);

      expect(body.data.map(({ id }: Form) => id)).toEqual(ids);
      expect(body.data[1]).toMatchObject({ name: 'Edited', version: 2 });
    }));

  it('returns page 1 as the last page of an empty list (F2)', () =>
    inOwnDatabase(async ({ service }) => {
      const answer = await service.anyone.get(PATH);

      expect(answer.status).toBe(200);
      const only = `${service.url}${PATH}?page=1`;
      expect(answer.body).toEqual({
        data: [],
        links: { first: only, last: only, prev: null, next: null },
        meta: { current_page: 1, last_page: 1, per_page: 15, total: 0 },
      });
    }));

  it('links the pages, keeps per_page in every link, and returns an empty page past the last (F2, F3)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const forms: Form[] = [];
      for (let made = 0; made < 5; made += 1) forms.push((await buildForm(database.dataSource)).form);
      const link = (page: number) => `${service.url}${PATH}?page=${page}&per_page=2`;
      const expected = (page: number, data: Form[], prev: string | null, next: string | null) => ({
        data: data.map(presented),
        links: { first: link(1), last: link(3), prev, next },
        meta: { current_page: page, last_page: 3, per_page: 2, total: 5 },
      });

      const pages = [];
      for (const page of [1, 2, 3, 4]) {
        const answer = await service.anyone.get(`${PATH}?per_page=2&page=${page}`);
        expect(answer.status).toBe(200);
        pages.push(answer.body);
      }

      expect(pages).toEqual([
        expected(1, forms.slice(0, 2), null, link(2)),
        expected(2, forms.slice(2, 4), link(1), link(3)),
        expected(3, forms.slice(4), link(2), null),
        expected(4, [], link(3), null),
      ]);
    }));

  it('returns pages of 15 by default, without per_page in the links (F2, F3)', () =>
    inOwnDatabase(async ({ database, service }) => {
      for (let made = 0; made < 16; made += 1) await buildForm(database.dataSource, { steps: [] });

      const answer = await service.anyone.get(PATH);

      expect(answer.body.data).toHaveLength(15);
      expect(answer.body.links).toEqual({
        first: `${service.url}${PATH}?page=1`,
        last: `${service.url}${PATH}?page=2`,
        prev: null,
        next: `${service.url}${PATH}?page=2`,
      });
      expect(answer.body.meta).toEqual({ current_page: 1, last_page: 2, per_page: 15, total: 16 });
    }));

  it.each([
    ['page=2147483647', { current_page: 2147483647, per_page: 15 }],
    ['page=2147483647&per_page=100', { current_page: 2147483647, per_page: 100 }],
    ['per_page=1', { current_page: 1, per_page: 1 }],
    ['per_page=100', { current_page: 1, per_page: 100 }],
  ])('accepts the bounds of page and per_page: %s (F2)', async (query, position) => {
    const answer = await use.service.anyone.get(`${PATH}?${query}`);

    expect(answer.status).toBe(200);
    expect(answer.body.meta).toMatchObject(position);
  });

  const BAD_INTEGERS = [
    '0',
    '-1',
    '-0',
    '1.5',
    '1.0',
    'abc',
    '',
    '%20',
    '1%20',
    '%201',
    '2147483648',
    '99999999999999999999',
    '1e2',
    '0x10',
    '1,2',
    'NaN',
    'Infinity',
    'null',
    'true',
    '%00',
    '1%00',
    '%F0%9F%92%A9',
    '%EF%BC%91',
    "1'--",
  ];

  it.each(['page', 'per_page'].flatMap((name) => BAD_INTEGERS.map((value) => [name, value] as const)))(
    'rejects %s=%s under that name (F2)',
    async (name, value) => {
      expectInvalid(await use.service.anyone.get(`${PATH}?${name}=${value}`), name);
    },
  );

  it('rejects a per_page above 100 (F2)', async () => {
    expectInvalid(await use.service.anyone.get(`${PATH}?per_page=101`), 'per_page');
  });

  it.each(['page', 'per_page'])('rejects a repeated %s under that name (F2)', async (name) => {
    expectInvalid(await use.service.anyone.get(`${PATH}?${name}=1&${name}=1`), name);
    expectInvalid(await use.service.anyone.get(`${PATH}?${name}=1&${name}=2`), name);
  });

  it('names both parameters if both are invalid (F2)', async () => {
    expectInvalid(await use.service.anyone.get(`${PATH}?page=0&per_page=101`), 'page', 'per_page');
  });

  it('ignores unknown parameters of any name', async () => {
    const answer = await use.service.anyone.get(
      `${PATH}?sort=name&__proto__=x&constructor=y&toString=z&hasOwnProperty=1&__proto__[page]=0`,
    );

    expect(answer.status).toBe(200);
    expect(answer.body.meta).toMatchObject({ current_page: 1, per_page: 15 });
  });

  describe('links (F3)', () => {
    it('begin with the scheme and host of the request, not with what an untrusted client claims', async () => {
      const answer = await use.service.anyone.get(PATH, {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'evil.example.org',
      });

      expect(answer.body.links.first).toBe(`${use.service.url}${PATH}?page=1`);
    });

    it('begin with the scheme and host that a trusted proxy forwards', async () => {
      const service = await startService(use.database, { TRUST_PROXY: '127.0.0.1' });
      try {
        const answer = await service.anyone.get(PATH, {
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': 'forms.example.org',
          'X-Forwarded-For': '192.0.2.1',
        });

        expect(answer.body.links.first).toBe(`https://forms.example.org${PATH}?page=1`);
      } finally {
        await service.close();
      }
    });

    it.each([
      ['https://forms.example.org', 'https://forms.example.org'],
      ['https://example.org/forms/', 'https://example.org/forms'],
    ])('begin with PUBLIC_URL %s if it is set, regardless of the request', async (publicUrl, begin) => {
      const service = await startService(use.database, { PUBLIC_URL: publicUrl, TRUST_PROXY: '127.0.0.1' });
      try {
        const { body } = await service.anyone.get(`${PATH}?page=2147483647&per_page=100`, {
          'X-Forwarded-Host': 'evil.example.org',
        });

        expect(body.links).toEqual({
          first: `${begin}${PATH}?page=1&per_page=100`,
          last: expect.stringContaining(`${begin}${PATH}?page=`),
          prev: expect.stringContaining(`${begin}${PATH}?page=`),
          next: null,
        });
      } finally {
        await service.close();
      }
    });
  });

  it('returns 304 for a current ETag, and the list after any change of it (F10)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const { form } = await buildForm(database.dataSource);
      const first = await service.anyone.get(PATH);
      const etag = etagOf(first);
      expect(first.headers.get('cache-control')).toBe('no-cache');

      const again = await service.anyone.get(PATH, { 'If-None-Match': etag });
      expect(again.status).toBe(304);
      expect(again.body).toBeUndefined();
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toBe('no-cache');

      let known = etag;
      for (const change of [
        `update forms set name = 'Renamed' where id = ${form.id}`,
        `update steps set title = 'Renamed' where form_id = ${form.id}`,
        `insert into forms (name, slug) values ('Second', 'second')`,
        `update forms set is_active = false where slug = 'second'`,
        `delete from forms where id = ${form.id}`,
      ]) {
        await database.dataSource.query(change);
        const changed = await service.anyone.get(PATH, { 'If-None-Match': known });
        expect(changed.status).toBe(200);
        expect(etagOf(changed)).not.toBe(known);
        known = etagOf(changed);
      }
    }));

  it('returns a different ETag for each page (F10)', async () => {
    const page = await use.service.anyone.get(`${PATH}?page=1`);
    const other = await use.service.anyone.get(`${PATH}?page=2`, { 'If-None-Match': etagOf(page) });

    expect(other.status).toBe(200);
    expect(etagOf(other)).not.toBe(etagOf(page));
  });
});
