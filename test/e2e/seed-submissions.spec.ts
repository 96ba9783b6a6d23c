import { client as clientOf, type Client } from '../support/client.js';
import { useCommandLine } from '../support/command-line.js';
import { itOnOneServer } from '../support/it-on-one-server.js';

const use = useCommandLine({});

const SUBMISSIONS = '/api/v1/submissions';
/** Two rounds of all drafts, so that they stay at several steps of each form. */
const COUNT = 24;

interface Listed {
  readonly uuid: string;
  readonly status: 'draft' | 'completed';
  readonly current_step: number;
  readonly form: { readonly uuid: string; readonly slug: string };
}

interface Value {
  readonly field_code: string;
  readonly value: string;
  readonly entity_record_id: number | null;
}

/** Runs the command and returns its output, and a client with the printed token. */
async function seed(count: number) {
  const { status, stdout, stderr } = await use.run(['db', 'seed', '--submissions', String(count)]);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^ftk_[\w-]{43}\n$/)]);
  return { stderr, client: clientOf(use.service.url, { Authorization: `Bearer ${stdout.trim()}` }) };
}

/** The user's submissions, oldest first. */
async function submissionsOf(client: Client): Promise<Listed[]> {
  const { status, body } = await client.get(`${SUBMISSIONS}?per_page=100`);
  expect(status).toBe(200);
  return (body.data as Listed[]).toReversed();
}

async function valuesOf(client: Client, { uuid }: Listed): Promise<Value[]> {
  return (await client.get(`${SUBMISSIONS}/${uuid}`)).body.data.values as Value[];
}

const rows = <Row>(sql: string) => use.database.dataSource.query<Row[]>(sql);

describe('formtrail db seed --submissions', () => {
  it.each(['0', '1001', '1.5', '-1', 'many', ''])(
    'rejects the count "%s" and changes nothing',
    async (count) => {
      const { status, stdout, stderr } = await use.run(['db', 'seed', '--submissions', count]);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('It must be a whole number from 1 to 1000.');
      expect(await rows('select slug from forms')).toEqual([]);
    },
  );

  it('refuses in production and changes nothing', async () => {
    const words = ['db', 'seed', '--submissions', '1'];
    const { status, stdout, stderr } = await use.run(words, { NODE_ENV: 'production' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^formtrail: NODE_ENV is production.*Nothing was changed\.\n$/);
    expect(await rows('select slug from forms')).toEqual([]);
  });

  describe('creates submissions', () => {
    let client: Client;
    let listed: Listed[];
    let stderr: string;
    beforeAll(async () => {
      ({ client, stderr } = await seed(COUNT));
      listed = await submissionsOf(client);
    }, 60_000);

    const count = (slug: string, status: Listed['status']) =>
      listed.filter((one) => one.form.slug === slug && one.status === status).length;

    it('of all example forms, two thirds of them completed, and prints how many', () => {
      expect(listed).toHaveLength(COUNT);
      expect(listed.filter(({ status }) => status === 'completed')).toHaveLength((COUNT * 2) / 3);
      const slugs = ['event-registration', 'job-application', 'patient-intake', 'travel-expense-claim'];
      expect([...new Set(listed.map(({ form }) => form.slug))].toSorted()).toEqual(slugs);
      for (const slug of slugs) {
        const [completed, drafts] = [count(slug, 'completed'), count(slug, 'draft')];
        expect(drafts).toBeGreaterThan(0);
        expect(stderr).toMatch(new RegExp(`^  ${slug} +${completed} completed +${drafts} drafts$`, 'm'));
      }
      // It requires a file.
      expect(count('job-application', 'completed')).toBe(0);
      expect(stderr).toContain('Created 24 submissions: 16 completed, 8 drafts.\n');
    });

    it('with drafts on different steps', () => {
      const steps = listed.filter(({ status }) => status === 'draft').map((one) => one.current_step);
      expect(new Set(steps).size).toBeGreaterThan(3);
      for (const { form } of listed) {
        const ofForm = listed.filter((one) => one.form.slug === form.slug && one.status === 'draft');
        expect(new Set(ofForm.map((one) => one.current_step)).size).toBe(ofForm.length);
      }
    });

    it('whose answers fit: a completed one lacks nothing, and no hidden field has an answer', async () => {
      for (const one of listed) {
        const { body } = await client.get(`${SUBMISSIONS}/${one.uuid}/validation`);
        if (one.status === 'completed')
          expect([one.form.slug, body.data]).toMatchObject([one.form.slug, { valid: true }]);
        const path = `${SUBMISSIONS}/${one.uuid}/conditions?shape=list&scope=records`;
        const { data, records } = (await client.get(path)).body;
        const hiddenIn = (states: { field_code: string; is_visible: boolean }[]) =>
          states.filter((state) => !state.is_visible).map((state) => state.field_code);
        const values = await valuesOf(client, one);
        const hidden = values.filter(({ field_code, entity_record_id: id }) =>
          hiddenIn(id === null ? data : records[id]).includes(field_code),
        );
        expect(hidden).toEqual([]);
        // A draft on the first step may have no answer but the first.
        expect(values.length).toBeGreaterThan(0);
      }
      const repeated = (await Promise.all(listed.map((one) => valuesOf(client, one)))).flat();
      expect(repeated.some(({ entity_record_id: id }) => id !== null)).toBe(true);
    });

    it('as the API does: values are counted, and versions are kept', async () => {
      const counted = await rows(
        `select uuid from submissions s where value_count <> (
             select count(*) from submission_values v join fields f on f.id = field_id
             where v.submission_uuid = s.uuid and f.computed is null)
           or (status = 'completed') <> (completed_version = 1 and completed_at is not null)
           or begun_version is distinct from 1 or hidden_values is not null`,
      );
      expect(counted).toEqual([]);
      const kept = await rows<{ slug: string }>(
        'select slug from form_versions join forms on forms.id = form_id order by slug',
      );
      expect(kept.map(({ slug }) => slug)).toEqual([
        'event-registration',
        'patient-intake',
        'travel-expense-claim',
      ]);
    });

    itOnOneServer('whose values count for their user', async () => {
      const [stored] = await rows<{ is_equal: boolean }>(
        `select (select sum(text_bytes) from user_storage) = (select sum(octet_length(value)) from submission_values) as is_equal`,
      );
      expect(stored).toEqual({ is_equal: true });
    });

    it('which an export of a form has', async () => {
      const words = ['submissions', 'export', '--form', 'event-registration', '--format', 'csv'];
      const { stdout } = await use.run(words);
      expect(stdout.match(/^[\w-]{36},completed,/gm)?.length).toBeGreaterThan(0);
    });

    it('and the next run adds as many, with the same answers', async () => {
      await seed(COUNT);
      const all = await submissionsOf(client);
      expect(all).toHaveLength(2 * COUNT);
      const answers = async (one: Listed) =>
        (await valuesOf(client, one)).map(({ field_code, value }) => [field_code, value]);
      for (const [index, one] of listed.entries()) {
        const again = all[index + COUNT] as Listed;
        expect([again.form, again.status, again.current_step]).toEqual([
          one.form,
          one.status,
          one.current_step,
        ]);
        expect(await answers(again)).toEqual(await answers(one));
      }
    }, 60_000);
  });
});
