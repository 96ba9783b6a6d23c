import { revokeToken } from '../../src/entities.js';
import { expectUnauthenticated } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { bearer, newPreview, newRespondent, type NewRespondent, publicForm } from '../support/respondents.js';
import { type Service, useOwnService, withServiceOn, useServiceOn } from '../support/service.js';

/** Maximum milliseconds for "at once". A few milliseconds are typical, but a busy machine needs more. */
const AT_ONCE = 1_000;
const DAYS = 86_400_000;
const LIST = '/api/v1/submissions';

const use = useOwnService();
const other = useServiceOn(use);

const sql = <Row = unknown>(text: string, values: unknown[] = []): Promise<Row[]> =>
  use.database.dataSource.query(text, values);
const newOne = async () => newRespondent(use, await publicForm(use));

const listOn = ({ anyone }: Service, { plainToken }: NewRespondent) => anyone.get(LIST, bearer(plainToken));

/** How long the token of the respondent is still valid, in days. */
async function daysLeft({ id }: NewRespondent): Promise<number> {
  const [token] = await sql<{ expires_at: Date }>('select expires_at from api_tokens where user_id = $1', [
    id,
  ]);
  return (token!.expires_at.getTime() - Date.now()) / DAYS;
}

/** Changes the token by SQL, and waits until both instances have been notified, so that no later request uses their caches. */
async function changeToken(respondent: NewRespondent, change: string): Promise<void> {
  const witness = await newOne();
  for (const service of [use.service, other]) expect((await listOn(service, witness)).status).toBe(200);
  await sql(`update api_tokens set ${change} where user_id = $1`, [respondent.id]);
  // Notifications arrive in the order of the commits.
  await sql('delete from users where id = $1', [witness.id]);
  for (const service of [use.service, other])
    await eventually(
      'the instance is notified',
      async () => (await listOn(service, witness)).status === 401,
      AT_ONCE,
    );
}

const renewalsDuring = async (work: () => Promise<unknown>) =>
  (await use.service.statementsDuring(work)).filter(({ name }) => name === 'tokens.renew').length;

/** Counts the changes of expires_at, and rejects them if `isRejected`. */
async function watchingRenewals(isRejected: boolean, work: () => Promise<void>): Promise<number> {
  await sql(`
    create table renewals (at timestamptz default now());
    create function watch_renewal() returns trigger language plpgsql as $$
    begin
      if ${isRejected} then raise exception 'rejected by the test'; end if;
      insert into renewals default values;
      return new;
    end $$;
    create trigger watch before update of expires_at on api_tokens for each row execute function watch_renewal()`);
  try {
    await work();
    return (await sql('select from renewals')).length;
  } finally {
    await sql('drop table renewals; drop function watch_renewal() cascade');
  }
}

onOneServer('the expiry of a token of a respondent (P4)', () => {
  it('moves to 30 days after the last use, once a day, even if many requests on two instances use the token at once', async () => {
    const respondent = await newOne();
    expect(await renewalsDuring(() => respondent.client.get(LIST))).toBe(0);
    await changeToken(respondent, `expires_at = now() + interval '29 days 1 hour'`);
    expect(await renewalsDuring(() => respondent.client.get(LIST))).toBe(0);

    await changeToken(respondent, `expires_at = now() + interval '28 days'`);
    const renewals = await watchingRenewals(false, async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, at) => listOn(at % 2 === 0 ? use.service : other, respondent)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await eventually('the token is extended', async () => (await daysLeft(respondent)) > 29.9);
      // Give a second update the time to happen.
      for (let sent = 0; sent < 10; sent += 1) await listOn(sent % 2 === 0 ? use.service : other, respondent);
    });
    expect(renewals).toBe(1);
    expect(await daysLeft(respondent)).toBeLessThanOrEqual(30);
  });

  it('is never later than 180 days after the creation of the respondent', async () => {
    const respondent = await newOne();
    await sql(`update respondents set created_at = now() - interval '179 days 12 hours' where user_id = $1`, [
      respondent.id,
    ]);
    await changeToken(respondent, `expires_at = now() + interval '6 hours'`);
    expect((await respondent.client.get(LIST)).status).toBe(200);
    await eventually('the token is extended', async () => (await daysLeft(respondent)) > 0.4);
    expect(await daysLeft(respondent)).toBeLessThanOrEqual(0.5);
    // The token cannot be extended further, so no request tries to.
    await changeToken(respondent, 'name = null');
    expect(await renewalsDuring(() => respondent.client.get(LIST))).toBe(0);
  });

  it('does not move for a token of a preview or one that an operator issued', async () => {
    const form = await publicForm(use);
    const preview = await newPreview(use, form);
    await sql(`update api_tokens set expires_at = now() + interval '5 minutes' where user_id = $1`, [
      preview.id,
    ]);
    const issued = await newRespondent(use, form);
    await changeToken(issued, `is_renewable = false, expires_at = now() + interval '5 minutes'`);
    for (const { client } of [preview, issued]) {
      const renewals = await renewalsDuring(async () => {
        expect((await client.get(LIST)).status).toBe(200);
        expect((await client.get(LIST)).status).toBe(200);
      });
      expect(renewals).toBe(0);
    }
  });

  it('stays if the database rejects the renewal, and the request succeeds', async () => {
    const respondent = await newOne();
    await changeToken(respondent, `expires_at = now() + interval '3 days'`);
    await watchingRenewals(true, async () => {
      expect(
        await renewalsDuring(async () => {
          expect((await respondent.client.get(LIST)).status).toBe(200);
          // The service does not try again for a minute.
          expect((await respondent.client.get(LIST)).status).toBe(200);
        }),
      ).toBe(1);
    });
    expect(await daysLeft(respondent)).toBeLessThanOrEqual(3);
  });

  it('is RESPONDENT_TTL days after the last use, extended when half of a day is left of one day', () =>
    withServiceOn(use.database, { RESPONDENT_TTL: '1' }, async (service) => {
      const respondent = await newRespondent({ database: use.database, service }, await publicForm(use));
      expect(await daysLeft(respondent)).toBeGreaterThan(0.99);
      expect(await daysLeft(respondent)).toBeLessThanOrEqual(1);
      await sql(`update api_tokens set expires_at = now() + interval '11 hours' where user_id = $1`, [
        respondent.id,
      ]);
      await eventually('the token is extended', async () => {
        expect((await listOn(service, respondent)).status).toBe(200);
        return (await daysLeft(respondent)) > 0.9;
      });
      expect(await daysLeft(respondent)).toBeLessThanOrEqual(1);
    }));

  it('ends the token on time, although it is cached', async () => {
    const respondent = await newOne();
    await sql(
      `update api_tokens set is_renewable = false, expires_at = now() + interval '600 milliseconds' where user_id = $1`,
      [respondent.id],
    );
    expect((await respondent.client.get(LIST)).status).toBe(200);
    const answer = await eventually('the token has expired', async () => {
      const { status, ...rest } = await respondent.client.get(LIST);
      return status !== 200 && { status, ...rest };
    });
    expectUnauthenticated(answer);
  });
});

onOneServer('a token of a respondent (P8)', () => {
  const ENDS: Readonly<Record<string, (respondent: NewRespondent) => Promise<unknown>>> = {
    'is revoked': async ({ id }) => {
      const [token] = await sql<{ id: number }>('select id from api_tokens where user_id = $1', [id]);
      await revokeToken(use.database.dataSource.manager, token!.id);
    },
    'is deleted': ({ id }) => sql('delete from api_tokens where user_id = $1', [id]),
    'has ended itself': ({ client }) => client.delete('/api/v1/respondents/me'),
    'loses its user': ({ id }) => sql('delete from users where id = $1', [id]),
    'loses its row in respondents': ({ id }) => sql('delete from respondents where user_id = $1', [id]),
    'loses its form': ({ id }) =>
      sql('delete from forms where id = (select form_id from respondents where user_id = $1)', [id]),
  };

  it.each(Object.keys(ENDS))('is rejected at once by every instance after it %s', async (end) => {
    const respondent = await newOne();
    const witness = await newOne();
    for (const service of [use.service, other]) expect((await listOn(service, respondent)).status).toBe(200);

    await ENDS[end]!(respondent);

    for (const service of [use.service, other]) {
      const refused = await eventually(
        'the token is refused',
        async () => {
          const answer = await listOn(service, respondent);
          return answer.status !== 200 && answer;
        },
        AT_ONCE,
      );
      expectUnauthenticated(refused);
      expect((await listOn(service, witness)).status).toBe(200);
    }
    // Without a respondent or a form, no user is left behind.
    if (/respondents|form/.test(end))
      expect(await sql('select from users where id = $1', [respondent.id])).toEqual([]);
  });

  it('begins no other form after TRUNCATE of respondents, on instances that know the token and on those that do not', async () => {
    const [form, elsewhere] = [await publicForm(use), await publicForm(use, { form: { access: 'token' } })];
    const [known, unknown] = [await newRespondent(use, form), await newRespondent(use, form)];
    expect((await listOn(use.service, known)).status).toBe(200);
    await sql('truncate respondents cascade');
    for (const [service, { plainToken }, statuses] of [
      [use.service, known, [422, 401]],
      [other, known, [401]],
      [other, unknown, [401]],
    ] as const) {
      const begin = await service.anyone.post(
        '/api/v1/submissions',
        { form_uuid: elsewhere.form.uuid },
        bearer(plainToken),
      );
      expect(statuses).toContain(begin.status);
    }
    expect(await sql('select from submissions where form_id = $1', [elsewhere.form.id])).toEqual([]);
  });
});

onOneServer('setting access back to token (P8)', () => {
  it('stops new respondents and new drafts at once on every instance, and open drafts go on', async () => {
    const form = await publicForm(use);
    const { uuid } = form.form;
    const respondent = await newRespondent(use, form);
    const begun = await respondent.client.post('/api/v1/submissions', { form_uuid: uuid });
    const path = `/api/v1/submissions/${begun.body.data.uuid}`;

    await sql(`update forms set access = 'token' where id = $1`, [form.form.id]);

    const REFUSED = { form_uuid: [expect.any(String)] };
    for (const { anyone } of [use.service, other]) {
      const create = () => anyone.post('/api/v1/respondents', { form_uuid: uuid });
      await eventually('no one can begin', async () => (await create()).status === 422, AT_ONCE);
      expect((await create()).body.errors).toEqual(REFUSED);
      const begin = await anyone.post(
        '/api/v1/submissions',
        { form_uuid: uuid },
        bearer(respondent.plainToken),
      );
      expect({ status: begin.status, errors: begin.body.errors }).toEqual({ status: 422, errors: REFUSED });
    }
    const values = [{ field_code: 'name', value: 'Ada' }];
    expect((await respondent.client.post(`${path}/values`, { values })).status).toBe(200);
    expect((await respondent.client.patch(path, { status: 'completed' })).status).toBe(200);
    expect((await respondent.client.get(path)).body.data.status).toBe('completed');
  });
});

onOneServer('the drafts of a respondent (P3)', () => {
  it('are at most 5, however many calls on two instances begin one at once', async () => {
    const form = await publicForm(use);
    const respondent = await newRespondent(use, form);
    const begin = ({ anyone }: Service) =>
      anyone.post('/api/v1/submissions', { form_uuid: form.form.uuid }, bearer(respondent.plainToken));
    const beginOnBoth = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => begin(at % 2 === 0 ? use.service : other)));
    const first: Answer[] = [];
    const sent = await use.service.statementsDuring(async () => {
      first.push(...(await beginOnBoth(50)));
    });
    const begun = first.filter(({ status }) => status === 201);
    expect(begun).toHaveLength(5);
    expect(first.filter(({ status }) => status === 422)).toHaveLength(45);
    // Five drafts, and one more attempt. Requests that arrive after its count make another attempt.
    const attempts = sent.filter(({ name }) => name === 'submissions.create_of_respondent');
    expect(attempts.length).toBeLessThan(30);

    const [one, two] = begun.map(({ body }) => `/api/v1/submissions/${body.data.uuid}`);
    expect((await respondent.client.patch(one!, { status: 'completed' })).status).toBe(200);
    const answers = await beginOnBoth(20);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    expect((await other.anyone.delete(two!, bearer(respondent.plainToken))).status).toBe(204);
    expect([(await begin(other)).status, (await begin(use.service)).status]).toEqual([201, 422]);
  });
});
