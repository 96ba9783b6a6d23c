import { NetworkError } from 'formtrail-client';
import { revokeToken } from '../../src/auth/revoke-token.js';
import { issueToken } from '../../src/auth/issue-token.js';
import { eventually } from '../support/eventually.js';
import { type BuiltForm, buildForm, type FieldPlan } from '../support/forms.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { startService, useService } from '../support/service.js';
import { Device, Network, newPerson, type Window } from './support/person.js';

const use = useService();
/** A form that tests do not change. */
let built: BuiltForm;
let person: Awaited<ReturnType<typeof newPerson>>;

beforeAll(async () => {
  const steps: Record<string, FieldPlan>[] = [{ name: {}, email: {}, note: {} }, { age: {} }];
  built = await buildForm(use.database.dataSource, { steps });
});
beforeEach(async () => {
  person = await newPerson(use, built);
});

describe('a draft on a broken network', () => {
  let network: Network;
  let options: { readonly fetch: Network['fetch']; readonly storage: Device };

  beforeEach(() => {
    network = new Network();
    options = { fetch: network.fetch, storage: new Device() };
  });

  it('accepts typing while offline, stores answers on the device, and sends them when online again', async () => {
    const window = await person.open(options);
    network.isOffline = true;
    window.draft.change('name', 'A');
    await window.until('offline');
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('failed');
    expect(window.shown).toMatchObject({ step: { position: 1 }, values: { name: 'Ada' } });
    expect(window.shown.failure).toBeInstanceOf(NetworkError);
    const { items } = options.storage;
    expect([...items.values()]).toEqual([expect.stringContaining('"Ada"')]);

    network.isOffline = false;
    window.draft.retry();
    await window.until('saved');
    expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
    expect([items.size, window.shown.changedElsewhere]).toEqual([0, false]);
  });

  it('opens once the connection is back', async () => {
    network.isOffline = true;
    const window = await person.open(options);
    expect(window.draft.getSnapshot()).toMatchObject({ status: 'failed', error: { name: 'NetworkError' } });
    network.isOffline = false;
    await eventually('it is open', () => window.draft.getSnapshot().status === 'open');
  });

  it('reports no conflict with its own answer if the response to storing it was lost', async () => {
    const window = await person.open(options);
    window.draft.change('name', 'A');
    network.lost = /values$/;
    const saving = window.draft.save();
    await eventually('the request is sent', () => window.requests.includes('POST values'));
    window.draft.change('name', 'Ada');
    expect(await saving).toBe('failed');
    expect((await person.stored(window)).answers).toEqual({ name: 'A' });
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
    const somebody = await newPerson(use, steps, {
      // Strict completion validates in the same request, so completing is a single request.
      form: { completion: 'strict' },
      entities: [{ name: 'expense', isRepeatable: true, of: ['amount'] }],
    });
    const window = await somebody.open(options);
    const { draft } = window;
    network.lost = /advance$/;
    expect(await draft.next()).toBe('failed');
    expect((await somebody.stored(window)).current_step).toBe(2);
    expect(await draft.next()).toBe('done');
    expect(window.shown.step?.position).toBe(2);
    expect(await draft.goTo(1)).toBe('done');

    network.lost = /records$/;
    expect(await draft.addEntry('expense')).toBeUndefined();
    const id = await draft.addEntry('expense');
    expect((await somebody.stored(window)).records).toEqual([expect.objectContaining({ id })]);

    network.lost = /^PATCH/;
    expect(await draft.complete()).toBe('failed');
    expect((await somebody.stored(window)).status).toBe('completed');
    expect(await draft.complete()).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', endedElsewhere: false });
  });
});

it('a draft sends one write at a time, and all later changes in the next write', async () => {
  const window = await person.open();
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

describe('a draft that the service delays or rejects', () => {
  it('waits as long as the service asks while its database is down', async () => {
    const database = await startDatabaseProxy(use.database.connection);
    const service = await startService(use.database, {}, database.connection);
    try {
      const window = await person.open({ url: service.url });
      await database.refuse();
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('failed');
      expect(window.shown.saving).toMatchObject({ kind: 'failing', error: { status: 503 } });
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

  it('saves typed answers after the user has signed in again', async () => {
    const window = await person.open();
    const { manager } = use.database.dataSource;
    await use.service.hearing(() => revokeToken(manager, person.tokenId));
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('failed');
    expect(window.shown).toMatchObject({
      ...{ status: 'open', failure: { status: 401 }, saving: { kind: 'signed-out' } },
    });
    person.signIn((await issueToken(manager, { userId: person.userId })).plainToken);
    window.draft.retry();
    await window.until('saved');
    expect(window.question('name')?.value).toBe('Ada');
  });

  it('marks and keeps rejected answers, and saves all others', async () => {
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

  it('works behind a proxy that weakens ETags, and without room on the device', async () => {
    const weakly = async (request: Request) => {
      const response = await fetch(request);
      const headers = new Headers(response.headers);
      headers.set('ETag', `W/${headers.get('ETag')}`);
      return new Response(response.body, { status: response.status, headers });
    };
    const storage = new Device();
    storage.setItem = () => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    const window = await person.open({ fetch: weakly, storage });
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('done');
    expect((await person.stored(window)).answers).toEqual({ name: 'Ada' });
  });
});

describe('a draft in two windows', () => {
  let here: Window;
  let there: Window;

  beforeEach(async () => {
    here = await person.open();
    there = await person.open();
  });

  async function typeThere(key: string, value: string) {
    there.draft.change(key, value);
    expect(await there.draft.save()).toBe('done');
  }

  it('stores the answers of both windows, and shows each answer in the other window', async () => {
    await typeThere('name', 'Ada');
    // No conflict: both windows have typed the same name.
    here.draft.change('name', 'Ada');
    here.draft.change('email', 'ada@example.org');
    await typeThere('note', 'Hello');
    expect(await here.draft.save()).toBe('done');
    expect(here.question('note')?.value).toBe('Hello');
    expect(here.shown).toMatchObject({ changedElsewhere: true, conflicts: [], saving: { kind: 'saved' } });
    const answers = { name: 'Ada', email: 'ada@example.org', note: 'Hello' };
    expect((await person.stored(here)).answers).toEqual(answers);
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

  it('stays on its step when the other window moves, and continues from there', async () => {
    expect(await there.draft.next()).toBe('done');
    here.draft.change('name', 'Ada');
    await here.draft.save();
    expect(here.shown).toMatchObject({ step: { position: 1 }, changedElsewhere: false });
    expect(await here.draft.next()).toBe('done');
    expect((await person.stored(here)).current_step).toBe(2);
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
});
