import { FormtrailClient, NetworkError } from 'formtrail-client';
import { Draft } from 'formtrail-session';
import { revokeToken } from '../../src/auth/revoke-token.js';
import { issueToken } from '../../src/auth/issue-token.js';
import { eventually } from '../support/eventually.js';
import { buildEntity, type FieldPlan } from '../support/forms.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { startService, useService, withServiceOn } from '../support/service.js';
import { Device, newPerson, type Window } from './support/person.js';

const use = useService();

const STEPS: Record<string, FieldPlan>[] = [{ name: {}, email: {}, note: {} }, { age: {} }];

describe('a draft on a broken network', () => {
  let proxy: Proxy;
  let url: string;

  beforeEach(async () => {
    proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(use.service.url).port) });
    url = `http://127.0.0.1:${proxy.port}`;
  });
  afterEach(() => proxy.close());

  /** Runs `action`. The action's request arrives, but the response is lost. */
  async function loseResponsesTo(action: () => unknown, arrived: () => Promise<boolean>) {
    proxy.loseAnswers();
    const acted = action();
    await eventually('the request has arrived', arrived);
    proxy.cut();
    return acted;
  }

  it('accepts typing while offline, stores answers on the device, and sends them when online again', async () => {
    const person = await newPerson(use, STEPS);
    const storage = new Device();
    const window = await person.open({ url, storage });
    await proxy.refuse();
    window.draft.change('name', 'A');
    await window.until('offline');
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('failed');
    expect(window.shown).toMatchObject({ step: { position: 1 }, values: { name: 'Ada' } });
    expect(window.shown.failure).toBeInstanceOf(NetworkError);
    expect([...storage.items.values()]).toEqual([expect.stringContaining('"Ada"')]);

    await proxy.heal();
    window.draft.retry();
    await window.until('saved');
    expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
    expect(storage.items.size).toBe(0);
    expect(window.shown.changedElsewhere).toBe(false);
  });

  it('restores answers that were typed offline after a reload', async () => {
    const person = await newPerson(use, STEPS);
    const storage = new Device();
    const window = await person.open({ url, storage });
    await proxy.refuse();
    window.draft.change('name', 'Ada');
    await window.until('offline');
    window.close();

    await proxy.heal();
    const again = await person.open({ url, storage });
    expect(again.shown.submission).toBe(window.shown.submission);
    expect(again.question('name')?.value).toBe('Ada');
    await eventually('it is saved', async () => (await person.stored(again)).answers.name === 'Ada');
  });

  it('opens once the connection is back', async () => {
    const person = await newPerson(use, STEPS);
    await proxy.refuse();
    const window = await person.open({ url });
    expect(window.draft.getSnapshot()).toMatchObject({ status: 'failed', error: { name: 'NetworkError' } });
    await proxy.heal();
    await eventually('it is open', () => window.draft.getSnapshot().status === 'open');
  });

  it('reports no conflict with its own answer if the response to storing it was lost', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open({ url });
    window.draft.change('name', 'A');
    const saving = loseResponsesTo(
      () => window.draft.save(),
      async () => {
        const isStored = (await person.stored(window)).answers.name === 'A';
        if (isStored) window.draft.change('name', 'Ada');
        return isStored;
      },
    );
    expect(await saving).toBe('failed');
    await proxy.heal();
    expect(await window.draft.save()).toBe('done');
    expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
    expect(window.shown).toMatchObject({ conflicts: [], changedElsewhere: false });
  });

  it('moves once, adds one entry and completes once if the first response is lost', async () => {
    const steps: Record<string, FieldPlan>[] = [
      { amount: { isRepeatable: true }, other: {} },
      { two: {} },
      { three: {} },
    ];
    // Strict completion validates in the same request, so completing is a single request.
    const person = await newPerson(use, steps, { form: { completion: 'strict' } });
    await buildEntity(use.database.dataSource, person, { name: 'expense', isRepeatable: true }, ['amount']);
    const window = await person.open({ url });
    const { draft } = window;
    const reaching = async (step: number) => (await person.stored(window)).current_step === step;

    expect(
      await loseResponsesTo(
        () => draft.next(),
        () => reaching(2),
      ),
    ).toBe('failed');
    await proxy.heal();
    expect(await draft.next()).toBe('done');
    expect(window.shown.step?.position).toBe(2);
    expect(await draft.goTo(1)).toBe('done');

    const added = async () => (await person.stored(window)).records.length === 1;
    expect(await loseResponsesTo(() => draft.addEntry('expense'), added)).toBeUndefined();
    await proxy.heal();
    const id = await draft.addEntry('expense');
    expect((await person.stored(window)).records).toEqual([expect.objectContaining({ id })]);

    const completed = async () => (await person.stored(window)).status === 'completed';
    expect(await loseResponsesTo(() => draft.complete(), completed)).toBe('failed');
    await proxy.heal();
    expect(await draft.complete()).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', endedElsewhere: false });
  });

  it('sends one write at a time, and all later changes in the next write', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open({ url });
    const { draft } = window;
    window.requests.length = 0;
    const done: Promise<unknown>[] = [];
    for (const text of ['A', 'Ad', 'Ada']) {
      draft.change('name', text);
      draft.change('email', text);
      done.push(draft.save());
    }
    done.push(draft.next());
    draft.change('note', 'late');
    await Promise.all(done);
    await draft.save();
    expect(window.maxParallelWrites).toBe(1);
    const { answers, current_step } = await person.stored(window);
    expect([answers, current_step]).toEqual([{ name: 'Ada', email: 'Ada', note: 'late' }, 2]);
    expect(window.requests.length).toBeLessThanOrEqual(5);
    expect(await Promise.all([draft.back(), draft.next()])).toEqual(['done', 'busy']);
  });
});

describe('a draft that the service delays or rejects', () => {
  it('waits as long as the service asks while its database is down', async () => {
    const person = await newPerson(use, STEPS);
    const database = await startDatabaseProxy(use.database.connection);
    const service = await startService(use.database, {}, database.connection);
    try {
      const window = await person.open({ url: service.url });
      await database.refuse();
      window.draft.change('name', 'Ada');
      await window.until('failing');
      expect(window.shown.saving).toMatchObject({ error: { status: 503 } });
      await database.heal();
      await window.until('saved');
      window.close();
      expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
    } finally {
      await database.heal();
      await service.close();
      await database.close();
    }
  });

  it('keeps typed answers, and reports why they are not saved, when the rate limit is reached', async () => {
    const person = await newPerson(use, STEPS);
    await withServiceOn(use.database, { THROTTLE_USER_LIMIT: '4' }, async ({ url }) => {
      const window = await person.open({ url });
      await window.draft.save();
      window.draft.change('name', 'Ada');
      await window.draft.save();
      window.draft.change('name', 'Eve');
      await window.draft.save();
      window.draft.change('name', 'Bo');
      expect(await window.draft.save()).toBe('failed');
      expect(window.shown.saving).toMatchObject({ kind: 'failing', error: { status: 429 } });
      expect(window.question('name')?.value).toBe('Bo');
      window.close();
    });
  });

  it('saves typed answers after the user has signed in again', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    const { manager } = use.database.dataSource;
    await revokeToken(manager, person.tokenId);
    await eventually('the token is rejected', async () => {
      window.draft.change('name', `Ada ${Math.random()}`);
      await window.draft.save();
      return window.shown.saving.kind === 'signed-out';
    });
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('failed');
    expect(window.shown).toMatchObject({ status: 'open', failure: { status: 401 } });

    const { plainToken } = await issueToken(manager, { userId: person.userId });
    person.signIn(plainToken);
    window.draft.retry();
    await window.until('saved');
    expect(window.question('name')?.value).toBe('Ada');
  });

  it('marks and keeps rejected answers, and saves all others', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    const { draft } = window;
    draft.change('name', 'with \0 in it');
    draft.change('email', 'x'.repeat(65_536));
    draft.change('note', 'fine');
    expect(await draft.save()).toBe('mistakes');
    expect(window.shown.saving).toEqual({ kind: 'incomplete' });
    expect(window.shown.mistakes).toMatchObject([
      { key: 'name', mistake: { code: 'contains_null_character' } },
      { key: 'email', mistake: { code: 'too_long', params: { max: 65_535 } } },
    ]);
    expect(await draft.next()).toBe('mistakes');
    draft.change('name', 'Ada');
    draft.change('email', 'e'.repeat(2 ** 20));
    draft.change('note', 'n'.repeat(2 ** 16 - 1));
    expect(await draft.save()).toBe('mistakes');
    expect(window.shown.mistakes).toMatchObject([{ key: 'email', mistake: { code: 'too_long' } }]);
    draft.change('email', '');
    expect(await draft.next()).toBe('done');
    expect((await person.stored(window)).answers).toMatchObject({ name: 'Ada', email: '' });
  });

  it('works behind a proxy that compresses and weakens ETags', async () => {
    const { form, plainToken: token } = await newPerson(use, STEPS);
    const weakly = async (request: Request) => {
      const response = await fetch(request);
      const headers = new Headers(response.headers);
      headers.set('ETag', `W/${headers.get('ETag')}`);
      return new Response(response.body, { status: response.status, headers });
    };
    const client = new FormtrailClient({ url: use.service.url, token, fetch: weakly });
    const draft = new Draft({ client, form: form.slug, storage: new Device() });
    await draft.open();
    draft.change('name', 'Ada');
    expect(await draft.next()).toBe('done');
  });

  it('keeps answers until the window closes if the device storage is full', async () => {
    const person = await newPerson(use, STEPS);
    const full = new Device();
    full.setItem = () => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    const window = await person.open({ storage: full });
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('done');
    expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
  });
});

describe('a draft in two windows', () => {
  let person: Awaited<ReturnType<typeof newPerson>>;
  let here: Window;
  let there: Window;

  beforeEach(async () => {
    person = await newPerson(use, STEPS);
    here = await person.open();
    there = await person.open();
  });

  async function typeThere(key: string, value: string) {
    there.draft.change(key, value);
    expect(await there.draft.save()).toBe('done');
  }

  it('stores the answers of both windows, and shows each answer in the other window', async () => {
    await typeThere('name', 'Ada');
    here.draft.change('email', 'ada@example.org');
    expect(await here.draft.save()).toBe('done');
    expect(here.question('name')?.value).toBe('Ada');
    expect(here.shown).toMatchObject({ changedElsewhere: true, conflicts: [], saving: { kind: 'saved' } });
    expect((await person.stored(here)).answers).toEqual({ name: 'Ada', email: 'ada@example.org' });
    await here.draft.back();
    expect(here.shown.changedElsewhere).toBe(false);
  });

  it.each([
    ['mine', 'Eve'],
    ['theirs', 'Ada'],
  ] as const)(
    'shows both values if both windows have changed the same answer, and stores %s if the user chooses it',
    async (choice, chosen) => {
      await typeThere('name', 'Ada');
      here.draft.change('name', 'Eve');
      here.draft.change('email', 'eve@example.org');
      expect(await here.draft.save()).toBe('changed');
      expect(here.question('name')).toMatchObject({ value: 'Eve', conflict: { theirs: 'Ada' } });
      expect(here.shown.conflicts).toMatchObject([{ key: 'name', mine: 'Eve', theirs: 'Ada' }]);
      expect(here.shown.saving).toEqual({ kind: 'incomplete' });
      here.draft.change('name', 'Eve');
      expect(await here.draft.next()).toBe('changed');
      expect((await person.stored(here)).answers).toEqual({ name: 'Ada', email: 'eve@example.org' });

      here.draft.resolve('name', choice);
      expect(here.question('name')).toMatchObject({ value: chosen, conflict: undefined });
      expect(await here.draft.next()).toBe('done');
      expect((await person.stored(here)).answers.name).toBe(chosen);
    },
  );

  it('has no conflict if both windows have typed the same answer', async () => {
    await typeThere('name', 'Ada');
    here.draft.change('name', 'Ada');
    expect(await here.draft.save()).toBe('done');
  });

  it('shows both values after a reload if another device changed an answer that was typed offline', async () => {
    const storage = new Device();
    const item = `formtrail:${here.shown.submission}:name`;
    storage.setItem(item, JSON.stringify({ value: 'Eve', over: [''] }));
    await typeThere('name', 'Ada');
    const again = await person.open({ storage });
    expect(again.shown.conflicts).toMatchObject([{ key: 'name', mine: 'Eve', theirs: 'Ada' }]);
  });

  it('completes only answers that the user has seen', async () => {
    await typeThere('name', 'Ada');
    expect(await here.draft.complete()).toBe('changed');
    expect(here.shown).toMatchObject({ status: 'open', changedElsewhere: true, values: { name: 'Ada' } });
    expect(await here.draft.complete()).toBe('done');
    there.draft.change('name', 'too late');
    expect(await there.draft.save()).toBe('ended');
    expect(there.shown).toMatchObject({ status: 'completed', endedElsewhere: true, values: { name: 'Ada' } });
  });

  it('asks for a required answer of its step even if the other window has moved on', async () => {
    const asked = await newPerson(use, [{ name: { isRequired: true } }, { age: {} }]);
    const [one, other] = [await asked.open(), await asked.open()];
    one.draft.change('name', 'Ada');
    expect(await one.draft.next()).toBe('done');
    other.draft.change('name', '');
    await other.draft.save();
    if (other.shown.conflicts.length > 0) other.draft.resolve('name', 'mine');
    expect(await other.draft.next()).toBe('mistakes');
    expect(other.shown).toMatchObject({ step: { position: 1 }, mistakes: [{ key: 'name' }] });
  });

  it('stays on its step when the other window moves, and continues from there', async () => {
    expect(await there.draft.next()).toBe('done');
    here.draft.change('name', 'Ada');
    await here.draft.save();
    expect(here.shown).toMatchObject({ step: { position: 1 }, changedElsewhere: false });
    expect(await here.draft.next()).toBe('done');
    expect((await person.stored(here)).current_step).toBe(2);
  });
});
