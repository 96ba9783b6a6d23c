import { type Export, exportSubmissions } from '../src/capabilities/exports/export-submissions.js';
import { issueToken } from '../src/auth/issue-token.js';
import { client } from './support/client.js';
import { complete as completed, store } from './support/draft-requests.js';
import { type Draft, newDraftOf } from './support/drafts.js';
import type { FormPlan } from './support/forms.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { useService, withServiceOn } from './support/service.js';

/** `more` shows `details`, which shows `deep`. In each trip, `mode` shows `plate`, which is repeatable, and `driver`, which is not. */
const PLAN: FormPlan = {
  steps: [
    {
      more: { type: 'radio', options: ['yes', 'no'] },
      details: { conditions: [['more', 'equals', 'yes', 'show']] },
      deep: { conditions: [['details', 'not_empty', '', 'show']] },
      mode: { isRepeatable: true },
      plate: { isRepeatable: true, conditions: [['mode', 'equals', 'car', 'show']] },
      driver: { conditions: [['mode', 'equals', 'car', 'show']] },
    },
  ],
  entities: [{ name: 'trip', label: 'Trip', isRepeatable: true, of: ['mode', 'plate', 'driver'] }],
};

describe.each([
  { HIDDEN_VALUES: 'keep', COMPLETION_POLICY: 'lenient' },
  { HIDDEN_VALUES: 'ignore', COMPLETION_POLICY: 'strict' },
] as const)('answers to hidden fields (X1) with $HIDDEN_VALUES and $COMPLETION_POLICY', (environment) => {
  const use = useService(environment);
  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    use.database.dataSource.query<Row[]>(sql, parameters);

  async function exported(
    { form }: Draft,
    format: Omit<Export, 'slug' | 'status' | 'since'> = { format: 'ndjson' },
  ): Promise<string> {
    let text = '';
    const of = { slug: form.slug, status: undefined, since: undefined };
    const options = { ...of, hiddenValues: environment.HIDDEN_VALUES, ...format };
    await exportSubmissions(use.database.dataSource, options, (part) => {
      text += part;
      return Promise.resolve();
    });
    return text;
  }

  /** Returns the codes of the marked values in an exported or sent submission. A value in a record has the record's id too. */
  const markedIn = ({ values }: { values: readonly any[] }): string[] =>
    values
      .filter((value) => 'hidden' in value)
      .map(({ hidden, field_code, entity_record_id }) => {
        expect(hidden).toBe(true);
        return entity_record_id === null ? field_code : `${field_code}.${entity_record_id}`;
      })
      .sort();

  const marked = async (draft: Draft, format?: Parameters<typeof exported>[1]) =>
    markedIn(JSON.parse(await exported(draft, format)));

  const addTrip = async (draft: Draft, mode: string): Promise<number> => {
    const { body } = await draft.client.post(`${draft.path}/records`, { entity: 'trip' });
    await store(draft, { mode, plate: `plate of ${mode}` }, body.data.id);
    return body.data.id;
  };

  const complete = async (draft: Draft) => expect((await completed(draft)).status).toBe(200);

  /** Details were given, and then hidden. */
  async function newDraftWithHidden(): Promise<Draft> {
    const draft = await newDraftOf(use, PLAN);
    await store(draft, { more: 'yes', details: 'all', deep: 'd' });
    await store(draft, { more: 'no' });
    return draft;
  }

  /** HIDDEN_VALUES=ignore hides what a hidden field would show. */
  const HIDDEN = environment.HIDDEN_VALUES === 'ignore' ? ['deep', 'details'] : ['details'];

  it('are marked in NDJSON, also as shown, and never in responses', async () => {
    const draft = await newDraftWithHidden();
    await complete(draft);
    expect(await marked(draft)).toEqual(HIDDEN);
    expect(await marked(draft, { format: 'ndjson', asShown: true })).toEqual(HIDDEN);
    const { body } = await draft.client.get(draft.path);
    expect(Object.keys(body.data.values[1])).toEqual(['field_id', 'field_code', 'value', 'entity_record_id']);
  });

  it('are left out of CSV, unless all answers are wanted', async () => {
    const draft = await newDraftWithHidden();
    await complete(draft);
    const cells = async (more: object) => {
      const csv = await exported(draft, { format: 'csv', ...more });
      return csv.split('\r\n')[1]!.split(',').slice(14, 17);
    };
    const [deep] = HIDDEN.includes('deep') ? [''] : ['d'];
    expect(await cells({})).toEqual(['no', '', deep]);
    expect(await cells({ asShown: true, labels: true })).toEqual(['no', '', deep]);
    expect(await cells({ withHidden: true })).toEqual(['no', 'all', 'd']);
  });

  it('are those of each record; a field with one value is hidden if all records hide it', async () => {
    const draft = await newDraftOf(use, PLAN);
    await store(draft, { driver: 'Ada', plate: 'outside' });
    expect(await marked(draft)).toEqual(['driver', 'plate']);
    const bike = await addTrip(draft, 'bike');
    expect(await marked(draft)).toEqual(['driver', 'plate', `plate.${bike}`]);
    await addTrip(draft, 'car');
    await complete(draft);
    // Outside of records, a condition is met if any value meets it (C7).
    expect(await marked(draft)).toEqual([`plate.${bike}`]);
  });

  it('follow the present state of a draft, and stay as they were at completion', async () => {
    const draft = await newDraftWithHidden();
    expect(await marked(draft)).toEqual(HIDDEN);
    await store(draft, { more: 'yes' });
    expect(await marked(draft)).toEqual([]);
    await store(draft, { more: 'no' });
    await complete(draft);
    await draft.client.patch(draft.path, { status: 'completed', meta: { reviewed: true } });
    await use.service.hearing(() => query('delete from conditions where form_id = $1', [draft.form.id]));
    expect(await marked(draft)).toEqual(HIDDEN);
  });

  it('are not marked if another program completed the submission, and cost nothing if there are none', async () => {
    const draft = await newDraftWithHidden();
    await query(`update submissions set status = 'completed' where uuid = $1`, [draft.uuid]);
    expect(await marked(draft)).toEqual([]);
    const other = await newDraftOf(use, PLAN);
    await store(other, { more: 'yes', details: 'all', deep: 'd' });
    await complete(other);
    expect(await marked(other)).toEqual([]);
    expect(await query('select hidden_values from submissions where uuid = $1', [other.uuid])).toEqual([
      { hidden_values: null },
    ]);
  });

  it('are exact if values change while the submission is completed', async () => {
    // A second instance, because each instance serialises its own writes to a submission.
    await withServiceOn(use.database, environment, async (other) => {
      for (let round = 0; round < 2; round += 1) {
        const draft = await newDraftWithHidden();
        const { plainToken } = await issueToken(use.database.dataSource.manager, { userId: draft.userId });
        const others = client(other.url, { Authorization: `Bearer ${plainToken}` });
        const flips = Array.from({ length: 12 }, (_, index) =>
          others.post(`${draft.path}/values`, {
            values: [{ field_code: 'more', value: index % 2 === 0 ? 'yes' : 'no' }],
          }),
        );
        const completion = draft.client.patch(draft.path, { status: 'completed' });
        for (const { status } of await Promise.all([...flips, completion]))
          expect([200, 422]).toContain(status);
        const line = JSON.parse(await exported(draft));
        expect(line.status).toBe('completed');
        expect(markedIn(line)).toEqual(line.values[0].value === 'yes' ? [] : HIDDEN);
      }
    });
  });

  itOnOneServer(
    'are marked in a full body of a webhook, written in the transaction that completes',
    async () => {
      await query(
        `insert into webhook_endpoints (url, body, secret) values ('https://example.org', 'full', '\\x00')`,
      );
      const draft = await newDraftWithHidden();
      const bike = await addTrip(draft, 'bike');
      await complete(draft);
      const [event] = await query<{ values: any[] }>(
        'select "values" from webhook_outbox where submission_uuid = $1',
        [draft.uuid],
      );
      expect(markedIn(event!)).toEqual([...HIDDEN, `plate.${bike}`]);
      expect(Object.keys(event!.values[0])).toEqual(['field_id', 'field_code', 'value', 'entity_record_id']);
    },
  );
});
