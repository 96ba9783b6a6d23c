import type { Form } from '../../src/entities.js';
import { etagOf, TIMESTAMP } from '../support/answers.js';
import { buildForm } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { expectInvalid } from '../support/refusal.js';
import { useService } from '../support/service.js';

const PATH = '/api/v1/forms';

function presented(form: Form) {
  return {
    id: form.id,
    uuid: form.uuid,
    name: form.name,
    slug: form.slug,
    description: form.description,
    is_active: true,
    version: form.version,
    completion: null,
    access: 'token',
    proof_of_work: null,
    opens_at: null,
    closes_at: null,
    closes_drafts: false,
    max_submissions: null,
    max_per_user: null,
    locale: null,
    locales: [],
    created_at: expect.stringMatching(TIMESTAMP),
    updated_at: expect.stringMatching(TIMESTAMP),
  };
}

describe('GET /api/v1/forms', () => {
  const use = useService();

  it('lists the active forms by id in pages, without credentials, and leaves out inactive ones (F1, F2, F3, F4)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const read = async (query = '') => {
        const { status, headers, body } = await service.anyone.get(PATH + query);
        expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
        return body;
      };
      const link = (page: number, more = '') => `${service.url}${PATH}?page=${page}${more}`;
      expect(await read()).toEqual({
        data: [],
        links: { first: link(1), last: link(1), prev: null, next: null },
        meta: { current_page: 1, last_page: 1, per_page: 15, total: 0 },
      });

      const forms: Form[] = [];
      for (const id of [900, 7, 8, 901, 50])
        forms.push(
          (await buildForm(database.dataSource, { form: { id, name: `Äpfel ${1000 - id}` }, steps: [] }))
            .form,
        );
      await buildForm(database.dataSource, { form: { isActive: false } });
      const ordered = forms.toSorted((one, other) => one.id - other.id);
      const expected = (page: number, data: Form[], prev: number | null, next: number | null) => ({
        data: data.map(presented),
        links: {
          ...{ first: link(1, '&per_page=2'), last: link(3, '&per_page=2') },
          prev: prev && link(prev, '&per_page=2'),
          next: next && link(next, '&per_page=2'),
        },
        meta: { current_page: page, last_page: 3, per_page: 2, total: 5 },
      });
      const pages: unknown[] = [];
      for (const page of [1, 2, 3, 4]) pages.push(await read(`?per_page=2&page=${page}`));
      expect(pages).toEqual([
        expected(1, ordered.slice(0, 2), null, 2),
        expected(2, ordered.slice(2, 4), 1, 3),
        expected(3, ordered.slice(4), 2, null),
        expected(4, [], 3, null),
      ]);

      // The order stays while forms are edited (F1).
      await database.dataSource.query(`update forms set name = 'Edited' where id = 8`);
      await database.dataSource.query(
        `insert into forms (id, name, slug) select n, 'More', 'more-' || n from generate_series(1001, 1011) n`,
      );
      const { data, links, meta } = await read();
      expect(data.map(({ id }: Form) => id).slice(0, 5)).toEqual([7, 8, 50, 900, 901]);
      expect(data[1]).toMatchObject({ name: 'Edited', version: 2 });
      expect(data).toHaveLength(15);
      expect(links).toEqual({ first: link(1), last: link(2), prev: null, next: link(2) });
      expect(meta).toEqual({ current_page: 1, last_page: 2, per_page: 15, total: 16 });
    }));

  it.each([
    ['page=2147483647&per_page=100', { current_page: 2147483647, per_page: 100 }],
    ['per_page=1', { current_page: 1, per_page: 1 }],
    [
      'sort=name&__proto__=x&constructor=y&toString=z&hasOwnProperty=1&__proto__[page]=0',
      { current_page: 1, per_page: 15 },
    ],
  ])(
    'accepts the bounds of page and per_page, and ignores unknown parameters: %s (F2)',
    async (query, meta) => {
      const answer = await use.service.anyone.get(`${PATH}?${query}`);
      expect(answer.status).toBe(200);
      expect(answer.body.meta).toMatchObject(meta);
    },
  );

  it.each([
    ['page=0', 'page'],
    ['page=2147483648', 'page'],
    ['page=%201', 'page'],
    ['page=1%00', 'page'],
    ['page=%EF%BC%91', 'page'],
    ['page=1&page=1', 'page'],
    ['per_page=101', 'per_page'],
    ['per_page=', 'per_page'],
    ['per_page=1.0', 'per_page'],
    ['per_page=1&per_page=2', 'per_page'],
    ['page=0&per_page=101', 'page', 'per_page'],
  ])('rejects %s under the names of the parameters (F2)', async (query, ...names) => {
    expectInvalid(await use.service.anyone.get(`${PATH}?${query}`), ...names);
  });

  it('returns 304 for a current ETag, and the list after any change of it; each page has its own (F10)', () =>
    inOwnDatabase(async ({ database, service }) => {
      const { form } = await buildForm(database.dataSource);
      const { id } = (await buildForm(database.dataSource)).form;
      const first = await service.anyone.get(PATH);
      let known = etagOf(first);
      expect(first.headers.get('cache-control')).toBe('no-cache');

      const again = await service.anyone.get(PATH, { 'If-None-Match': known });
      expect([again.status, again.body]).toEqual([304, undefined]);
      expect(again.headers.get('etag')).toBe(known);
      expect(again.headers.get('cache-control')).toBe('no-cache');

      const other = await service.anyone.get(`${PATH}?page=2`, { 'If-None-Match': known });
      expect(other.status).toBe(200);
      expect(etagOf(other)).not.toBe(known);

      for (const change of [
        `update forms set name = 'Renamed' where id = ${id}`,
        `update steps set title = 'Renamed' where form_id = ${id}`,
        `update forms set is_active = false where id = ${id}`,
        `delete from forms where id = ${form.id}`,
      ]) {
        await database.dataSource.query(change);
        const changed = await service.anyone.get(PATH, { 'If-None-Match': known });
        expect([change, changed.status]).toEqual([change, 200]);
        expect(etagOf(changed)).not.toBe(known);
        known = etagOf(changed);
      }
    }));
});
