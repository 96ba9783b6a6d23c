import type pg from 'pg';
import { expectUnauthenticated } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { announcementOf } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const KEY = { 'Idempotency-Key': 'k' };
const DROP_FORM = 'delete from forms where id = $1';

onOneServer('a write that refers to a row which another program is deleting', () => {
  const use = useService();

  /** Creates a draft whose form has a field for files, an optional field, and an entity. */
  const draft = () =>
    newDraftOf(use, {
      form: { completion: 'strict' },
      steps: [{ cv: { type: 'file' }, name: {} }],
      entities: [{ name: 'receipt', isRepeatable: true }],
    });

  /**
   * Sends a request while another program has executed `drop` in an open transaction. Once the request waits, the other
   * program executes `dropMore` and commits. Returns the response.
   */
  function whileDropping(
    [drop, ...values]: [string, ...unknown[]],
    request: () => Promise<Answer>,
    { isWaiting = waitsForLock, dropMore }: { isWaiting?: typeof waitsForLock; dropMore?: string } = {},
  ): Promise<Answer> {
    return asAnotherProgram(use.database.connection, async (panel) => {
      await panel.query('begin');
      // PostgreSQL aborts the session that detects a deadlock. With this timeout, only the request detects it.
      await panel.query(`set local deadlock_timeout = '1min'`);
      await panel.query(drop, values);
      const answer = request();
      await eventually('the request waits for the other program', () => isWaiting(panel));
      if (dropMore !== undefined) await panel.query(dropMore, values);
      await panel.query('commit');
      return answer;
    });
  }

  async function waitsForLock(panel: pg.Client): Promise<boolean> {
    const { rows } = await panel.query(
      'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
    );
    return rows.length > 0;
  }

  /** Whether a creation has skipped locked rows, and now checks again whether its form and user exist. */
  async function hasTriedToCreate(panel: pg.Client): Promise<boolean> {
    await panel.query('select pg_stat_clear_snapshot()');
    const { rows } = await panel.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'formtrail'
          and query like '%submissions.find_form_and_user%' and query_start > now()`,
    );
    return rows.length > 0;
  }

  const announce = ({ client, path }: Draft, more = {}) =>
    client.post(`${path}/files`, announcementOf(Buffer.from('x'), more));
  const addRecord = ({ client, path }: Draft, headers = {}) =>
    client.post(`${path}/records`, { entity: 'receipt' }, headers);
  const create = ({ client, form }: Draft, headers = {}) =>
    client.post('/api/v1/submissions', { form_uuid: form.uuid }, headers);

  it.each<[string, string, string, (one: Draft) => Promise<Answer>, isWaiting?: typeof waitsForLock]>([
    ['a file for a field', 'field_code', 'delete from fields where form_id = $1', announce],
    ['a record of an entity', 'entity', 'delete from entities where form_id = $1', addRecord],
    [
      'a record with a key',
      'entity',
      'delete from entities where form_id = $1',
      (one) => addRecord(one, KEY),
    ],
    ['a submission to a form', 'form_uuid', DROP_FORM, create, hasTriedToCreate],
    ['a submission with a key', 'form_uuid', DROP_FORM, (one) => create(one, KEY), hasTriedToCreate],
  ])('is rejected with a field error: %s', async (_, name, drop, request, isWaiting = waitsForLock) => {
    const one = await draft();
    if (drop === DROP_FORM) await one.client.delete(one.path);
    expectInvalid(await whileDropping([drop, one.form.id], () => request(one), { isWaiting }), name);
  });

  it('is rejected with a field error: a file for a record', async () => {
    const one = await draft();
    const { id } = (await addRecord(one)).body.data;
    const answer = await whileDropping(['delete from entity_records where id = $1', id], () =>
      announce(one, { entity_record_id: id }),
    );
    expectInvalid(answer, 'entity_record_id');
  });

  it('is rejected with 404 if it ends in a deadlock with the deletion of the submission', async () => {
    for (const [drop, request] of [
      ['delete from entities where form_id = $1', (one: Draft) => addRecord(one)],
      ['delete from fields where form_id = $1', (one: Draft) => announce(one)],
    ] as const) {
      const one = await draft();
      const answer = await whileDropping([drop, one.form.id], () => request(one), {
        dropMore: 'delete from submissions where form_id = $1',
      });
      expectRefusal(answer, 404, { message: 'Submission not found.' });
    }
  });

  it('is rejected with 401 once its user is deleted, with and without an Idempotency-Key', async () => {
    const { form } = await buildForm(use.database.dataSource);
    for (const [headers, isWaiting] of [
      [{}, hasTriedToCreate],
      [KEY, waitsForLock],
    ] as const) {
      const { id, client } = await newUser(use);
      const answer = await whileDropping(
        ['delete from users where id = $1', id],
        () => client.post('/api/v1/submissions', { form_uuid: form.uuid }, headers),
        { isWaiting },
      );
      expectUnauthenticated(answer);
    }
  });

  it('completes under the strict policy without the deleted field', async () => {
    const one = await draft();
    const answer = await whileDropping(
      ['delete from fields where id = $1', one.fields['name']!.id],
      () => one.client.patch(one.path, { status: 'completed' }),
      { isWaiting: () => Promise.resolve(true) },
    );
    expect(answer.status).toBe(200);
  });
});
