import { createHash } from 'node:crypto';
import { FormtrailClient, UnauthenticatedError } from 'formtrail-client';
import { Draft, type DraftOptions } from 'formtrail-session';
import type { Form } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { newUser, useService } from '../support/service.js';
import { letTokensExpire } from '../support/respondents.js';
import { Device, openWindow, type Window } from './support/person.js';

const KEY = Buffer.alloc(32, 5).toString('base64');
const use = useService({ CHALLENGE_KEY: KEY });

/** Enough numbers for several reports of the progress. */
const PROOF = 5_000;

const publicForm = (form: Partial<Form> = {}) =>
  buildForm(use.database.dataSource, {
    form: { access: 'public', ...form },
    steps: [{ name: {}, note: {}, cv: { type: 'file' }, amount: { isRepeatable: true } }, { age: {} }],
    entities: [{ name: 'expense', isRepeatable: true, of: ['amount'] }],
  });

interface Options extends Partial<DraftOptions> {
  readonly token?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Opens a form, without a token by default. */
const look = ({ slug }: Form, { token, fetch, ...options }: Options = {}) =>
  openWindow({ form: slug, ...options, client: { url: use.service.url, token, fetch } });

/** Opens a form, and begins a submission. */
async function visit(form: Form, options: Options = {}) {
  const window = await look(form, options);
  await window.begin();
  return window;
}

const nameOf = ({ uuid }: Form) => `formtrail:${use.service.url}:${uuid}`;

/** The item of the device that holds the token. */
const itemOf = (device: Device, form: Form) =>
  JSON.parse(device.getItem(nameOf(form)) ?? '{}') as { token: string; submissions: string[] };

const clientOf = (device: Device, form: Form) =>
  new FormtrailClient({ url: use.service.url, token: itemOf(device, form).token });

/** Lets the token that the device holds expire. */
async function expire(device: Device, form: Form): Promise<void> {
  const hash = createHash('sha256').update(itemOf(device, form).token).digest();
  const find = 'select user_id as id from api_tokens where token_hash = $1';
  const [user] = await use.database.dataSource.query(find, [hash]);
  await letTokensExpire(use.database, user);
  // No program has changed the token, so the service is told nothing.
  const tell = `select pg_notify('formtrail', 'token ' || $1)`;
  await use.service.hearing(() => use.database.dataSource.query(tell, [hash.toString('hex')]));
}

const requestsFor = (window: Window, name: string) => window.requests.filter((one) => one === `POST ${name}`);

async function respondentsOf({ id }: Form): Promise<number> {
  const query = 'select count(*)::int as count from respondents where form_id = $1';
  const [{ count }] = await use.database.dataSource.query(query, [id]);
  return count;
}

/** A form for tests that do not count its respondents. */
let form: Form;
beforeAll(async () => {
  ({ form } = await publicForm());
});
afterEach(() => {
  for (const name of ['sessionStorage', 'localStorage']) Reflect.deleteProperty(globalThis, name);
});

/** Gives the environment the storage of a browser, or a storage that throws an error, as in a browser that blocks it. */
function browser(name: 'sessionStorage' | 'localStorage', device: Device | 'blocked' = new Device()) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => {
      if (device === 'blocked') throw new Error('The user has blocked storage.');
      return device;
    },
  });
  return device as Device;
}

onOneServer('a visitor of a public form', () => {
  it('becomes a respondent without a token, fills in the form, and completes it', async () => {
    const { form } = await publicForm();
    const device = browser('sessionStorage');
    const window = await visit(form, { submission: null });
    expect(window.shown).toMatchObject({ status: 'open', respondent: 'active' });
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('done');

    // Another draft is of the same respondent.
    const other = await visit(form, { submission: null });
    const listed = async () => (await clientOf(device, form).listSubmissions()).data.map(({ uuid }) => uuid);
    expect(await listed()).toEqual([other.shown.submission, window.shown.submission]);
    expect(await other.draft.discard()).toBe('done');
    expect(await listed()).toEqual([window.shown.submission]);

    expect(await window.draft.complete()).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', respondent: 'active', endedElsewhere: false });
    expect(await respondentsOf(form)).toBe(1);
  });

  it('does not become one if the client has a token, or if the form is not public', async () => {
    const { form } = await publicForm();
    const { plainToken: token } = await newUser(use);
    const storage = new Device();
    const user = await look(form, { storage, token });
    expect(user.shown.respondent).toBeUndefined();
    expect(await user.draft.resumeCode()).toBeUndefined();
    expect(user.shown.failure).toMatchObject({ status: 422 });
    // A page that signs a visitor out keeps the unsaved answers of a user.
    user.draft.change('name', 'Ada');
    await user.draft.signOut();
    expect(user.shown).toMatchObject({ status: 'open', values: { name: 'Ada' } });
    expect(storage.items.size).toBe(1);

    const { form: other } = await publicForm({ access: 'token' });
    expect((await visit(other)).draft.getSnapshot()).toMatchObject({
      ...{ status: 'failed', error: { status: 401 }, respondent: undefined },
    });
    expect([await respondentsOf(form), await respondentsOf(other)]).toEqual([0, 0]);
  });

  it('begins nothing by looking: no respondent, no proof of work, no item on the device', async () => {
    const { form } = await publicForm({ proofOfWork: PROOF });
    const device = browser('sessionStorage');
    const window = await look(form);
    expect(window.shown).toMatchObject({ status: 'open', respondent: 'active', submission: undefined });
    await window.draft.save();
    window.close();
    const reads = /^GET forms\/[\w-]+(\/(by-slug|schema|conditions))$/;
    expect(window.requests.filter((one) => !reads.test(one))).toEqual([]);
    expect([await respondentsOf(form), device.items.size]).toEqual([0, 0]);
    await window.draft.signOut();
    expect(window.shown.status).toBe('discarded');
  });

  it('is told that a form is not active before anything is typed, without a request to begin', async () => {
    const { form } = await publicForm({ isActive: false });
    const window = await look(form);
    expect(window.draft.getSnapshot()).toMatchObject({
      ...{ status: 'failed', error: { errors: [{ field: 'form_uuid', code: 'inactive_form' }] } },
    });
    expect(requestsFor(window, 'respondents')).toEqual([]);
  });

  describe('in two windows that begin at the same moment', () => {
    // Node.js 20 has no navigator.
    const navigator = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? { configurable: true };
    afterEach(() => Object.defineProperty(globalThis, 'navigator', navigator));
    /** Locks as a browser has them, which hold in all tabs. */
    const browserLocks = () => {
      let last: Promise<unknown> = Promise.resolve();
      const request = (_: string, task: () => Promise<unknown>) => {
        const result = last.then(task, task);
        last = result.catch(() => undefined);
        return result;
      };
      return { request };
    };

    it.each([
      ['with locks', browserLocks()],
      ['without locks', undefined],
    ])('shares one respondent and one draft, and loses nothing, %s', async (_, locks) => {
      Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks } });
      const { form } = await publicForm();
      const storage = new Device();
      const both = [await look(form, { storage }), await look(form, { storage })] as const;
      const [one, other] = both;
      one.draft.change('name', 'Ada');
      other.draft.change('note', 'Hello');
      await Promise.all(both.map(({ draft }) => draft.save()));
      const { submission } = one.shown;
      expect(other.shown.submission).toBe(submission);
      for (const name of ['respondents', 'submissions'])
        expect(both.flatMap((window) => requestsFor(window, name))).toHaveLength(1);
      const values = { name: 'Ada', note: 'Hello' };
      expect((await look(form, { storage })).shown).toMatchObject({ submission, values });
      expect(await respondentsOf(form)).toBe(1);
    });

    it('shows both answers to one question', async () => {
      const storage = new Device();
      const [one, other] = [await look(form, { storage }), await look(form, { storage })];
      one.draft.change('name', 'A');
      other.draft.change('name', 'B');
      await one.draft.save();
      expect(await other.draft.save()).toBe('changed');
      expect(other.shown.conflicts).toMatchObject([{ key: 'name', mine: 'B', theirs: 'A' }]);
    });

    it('keeps the token of a tab that has begun during the own request', async () => {
      const [storage, elsewhere] = [new Device(), new Device()];
      const other = await visit(form, { storage: elsewhere });
      const window = await look(form, {
        storage,
        fetch: async (request) => {
          const response = await fetch(request);
          // A tab of a browser without locks.
          const theirs = JSON.stringify(itemOf(elsewhere, form));
          if (request.url.endsWith('/respondents')) storage.setItem(nameOf(form), theirs);
          return response;
        },
      });
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('done');
      expect(window.shown.submission).toBe(other.shown.submission);
      expect(itemOf(storage, form)).toEqual(itemOf(elsewhere, form));
    });

    it('begins again as one respondent after the token has expired', async () => {
      const { form } = await publicForm();
      const storage = new Device();
      const both = [await visit(form, { storage }), await visit(form, { storage })] as const;
      await expire(storage, form);
      expect(await Promise.all(both.map(({ draft }) => draft.beginAgain()))).toEqual(['done', 'done']);
      expect(both[0].shown.submission).toBe(both[1].shown.submission);
      expect(await respondentsOf(form)).toBe(2);
    });
  });

  describe('with storage', () => {
    it('keeps the token and unsaved answers in sessionStorage, and continues the same draft after a reload', async () => {
      const session = browser('sessionStorage');
      const local = browser('localStorage');
      const window = await visit(form);
      window.draft.change('name', 'Ada');
      const { submission } = window.shown;
      const names = [nameOf(form), `formtrail:${submission}:name`];
      expect([...session.items.keys()].sort()).toEqual(names.sort());
      window.close();
      await eventually('it is saved', () => window.shown.saving.kind === 'saved');

      const again = await visit(form);
      expect(again.shown).toMatchObject({ submission, values: { name: 'Ada' }, respondent: 'active' });
      expect(requestsFor(again, 'respondents')).toEqual([]);
      expect(local.items.size).toBe(0);
    });

    it('keeps both in localStorage with remember', async () => {
      const [session, local] = [browser('sessionStorage'), browser('localStorage')];
      const window = await visit(form, { remember: true });
      const submissions = [window.shown.submission];
      expect(itemOf(local, form)).toEqual({ token: expect.stringMatching(/^ftr_/), submissions });
      expect(session.items.size).toBe(0);
    });

    it.each(['missing', 'blocked'] as const)(
      'works for as long as the page if storage is %s',
      async (storage) => {
        if (storage === 'blocked')
          for (const name of ['sessionStorage', 'localStorage'] as const) browser(name, storage);
        const window = await visit(form);
        window.draft.change('name', 'Ada');
        expect(await window.draft.complete()).toBe('done');
      },
    );

    it('keeps one token for each service and form', async () => {
      const device = browser('sessionStorage');
      const { form } = await publicForm();
      const { form: other } = await publicForm();
      await visit(form);
      await visit(other, { form: other.uuid });
      const client = new FormtrailClient({ url: `${use.service.url}/` });
      await new Draft({ client, form: form.slug }).open();
      expect([...device.items.keys()].sort()).toEqual([nameOf(form), nameOf(other)].sort());
      expect(await respondentsOf(form)).toBe(1);
    });

    it('ends the token, and deletes it and unsaved answers to all drafts from the device when the user signs out', async () => {
      const device = browser('sessionStorage');
      const first = await visit(form);
      const window = await visit(form, { submission: null });
      const { token } = itemOf(device, form);
      for (const { draft } of [first, window]) {
        // The service rejects it, so it stays on the device.
        draft.change('name', 'x'.repeat(65_536));
        expect(await draft.save()).toBe('mistakes');
      }
      first.close();
      window.draft.upload('cv', Object.assign(new Blob(['%PDF']), { name: 'cv.pdf' }));
      const signingOut = window.draft.signOut();
      expect(window.shown).toMatchObject({ status: 'discarded', endedElsewhere: false, isUploading: false });
      window.draft.change('name', 'Grace');
      await signingOut;
      window.close();
      expect([...device.items.keys()]).toEqual([]);
      const client = new FormtrailClient({ url: use.service.url, token });
      await expect(client.listSubmissions()).rejects.toThrow(UnauthenticatedError);
    });
  });

  describe('whose token has expired', () => {
    it('keeps what was typed, begins no second draft, and asks the user', async () => {
      const device = browser('sessionStorage');
      const { form } = await publicForm();
      const window = await visit(form);
      await expire(device, form);
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('failed');
      expect(window.shown).toMatchObject({
        ...{ status: 'open', respondent: 'expired', values: { name: 'Ada' } },
        saving: { kind: 'signed-out', error: { status: 401 } },
      });
      window.draft.retry();
      expect(await window.draft.next()).toBe('failed');

      // A reload asks again.
      window.close();
      const again = await visit(form);
      const failed = { status: 'failed', respondent: 'expired', error: { status: 401 } };
      expect(again.draft.getSnapshot()).toMatchObject(failed);
      again.draft.retry();
      await eventually('it has failed again', () => again.draft.getSnapshot().status === 'failed');
      expect([...requestsFor(window, 'respondents'), ...requestsFor(again, 'respondents')]).toHaveLength(1);
      expect(await respondentsOf(form)).toBe(1);
    });

    it('goes on in the same draft with a resume code, and saves what was typed', async () => {
      const { form } = await publicForm();
      const device = new Device();
      const window = await visit(form, { storage: device });
      const { submission } = window.shown;
      const { code = '' } = (await window.draft.resumeCode()) ?? {};
      await window.draft.next();
      await expire(device, form);
      window.draft.change('age', '36');
      await window.draft.save();

      expect(await window.draft.resume('7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE')).toBe('failed');
      expect(window.shown).toMatchObject({ respondent: 'expired', values: { age: '36' } });
      expect(window.shown.failure).toMatchObject({ errors: [{ field: 'code' }] });

      expect(await window.draft.resume(code)).toBe('done');
      expect(window.shown).toMatchObject({
        ...{ submission, respondent: 'active', failure: undefined, step: { position: 2 } },
      });
      await window.until('saved');
      expect(window.shown.values).toEqual({ age: '36' });
      expect(await respondentsOf(form)).toBe(1);
    });

    it('goes on with a resume code after a reload, too', async () => {
      const storage = new Device();
      const window = await visit(form, { storage });
      const { code = '' } = (await window.draft.resumeCode()) ?? {};
      await expire(storage, form);
      window.draft.change('name', 'Ada');
      await window.draft.save();
      window.close();

      const again = await visit(form, { storage });
      expect(await again.draft.resume('none')).toBe('failed');
      expect(again.draft.getSnapshot()).toMatchObject({
        ...{ status: 'failed', respondent: 'expired', error: { status: 422 } },
      });
      expect(await again.draft.resume(code)).toBe('done');
      expect(await again.draft.save()).toBe('done');
      expect(again.shown).toMatchObject({ submission: window.shown.submission, values: { name: 'Ada' } });
    });

    it('begins again with the answers and entries that the user sees, except files', async () => {
      const { form } = await publicForm();
      const storage = new Device();
      const window = await visit(form, { storage });
      const { draft } = window;
      const first = await draft.addEntry('expense');
      const second = await draft.addEntry('expense');
      draft.change(`amount.${second}`, '12.50');
      draft.change('name', 'A');
      await draft.removeEntry(first ?? 0);
      await draft.save();
      await expire(storage, form);
      draft.change('name', 'Ada');
      await draft.save();
      const { submission } = window.shown;

      expect(await draft.beginAgain()).toBe('done');
      expect(await draft.save()).toBe('done');
      expect(window.shown).toMatchObject({ respondent: 'active', failure: undefined });
      expect(window.shown.submission).not.toBe(submission);
      const [id] = Object.keys(window.shown.states.records);
      expect(window.shown.values).toEqual({ name: 'Ada', [`amount.${id}`]: '12.50' });
      expect([...storage.items.keys()]).toEqual([nameOf(form)]);
      expect(await respondentsOf(form)).toBe(2);
    });

    it('asks the user if the page names a draft whose token the device does not have', async () => {
      const { form } = await publicForm();
      const { submission } = (await visit(form)).shown;
      const window = await visit(form, { submission });
      expect(window.draft.getSnapshot()).toMatchObject({ status: 'failed', respondent: 'expired' });
      expect(await respondentsOf(form)).toBe(1);
      expect(await window.draft.beginAgain()).toBe('done');
      expect(window.shown.submission).not.toBe(submission);
    });
  });

  it('continues the same draft on another device with a code, which works once', async () => {
    const { form } = await publicForm();
    const window = await visit(form);
    window.draft.change('name', 'Ada');
    const { code = '', expires_at = '' } = (await window.draft.resumeCode()) ?? {};
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());

    const storage = new Device();
    const other = new Draft({ client: window.draft.options.client, form: form.slug, storage });
    expect(await other.resume(code)).toBe('done');
    const { submission } = window.shown;
    expect(other.getSnapshot()).toMatchObject({ submission, values: { name: 'Ada' } });
    expect(itemOf(storage, form).submissions).toEqual([submission]);
    expect(await respondentsOf(form)).toBe(1);

    const third = await visit(form);
    const before = third.shown.submission;
    expect(await third.draft.resume(code)).toBe('failed');
    expect(third.shown).toMatchObject({ status: 'open', submission: before, respondent: 'active' });
  });

  it('goes on without a code that was refused', async () => {
    const client = new FormtrailClient({ url: use.service.url });
    const draft = new Draft({ client, form: form.slug, storage: new Device() });
    expect(await draft.resume('none')).toBe('failed');
    draft.retry();
    await draft.open();
    expect(draft.getSnapshot()).toMatchObject({ status: 'open', submission: undefined });
  });

  it('takes a code while the form is still being opened', async () => {
    const { form } = await publicForm();
    const window = await visit(form);
    const { code = '' } = (await window.draft.resumeCode()) ?? {};
    let resuming: Promise<unknown> | undefined;
    const client = new FormtrailClient({
      url: use.service.url,
      fetch: (request) => {
        resuming ??= other.resume(code);
        return fetch(request);
      },
    });
    const other: Draft = new Draft({ client, form: form.slug, storage: new Device() });
    await other.open();
    expect(await resuming).toBe('done');
    expect(other.getSnapshot()).toMatchObject({ submission: window.shown.submission });
  });

  it('whom the service makes wait saves after the time in Retry-After, and sees the error until then', async () => {
    let isFirst = true;
    const window = await look(form, {
      fetch: (request) => {
        if (!isFirst || !request.url.endsWith('/respondents')) return fetch(request);
        isFirst = false;
        return Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '2' } }));
      },
    });
    window.draft.change('name', 'Ada');
    const failedAt = Date.now();
    expect(await window.draft.save()).toBe('failed');
    expect(window.shown).toMatchObject({
      ...{ status: 'open', respondent: 'active' },
      saving: { kind: 'failing', error: { status: 429, retryAfter: 2 } },
    });
    await window.until('saved');
    // Timers may fire a millisecond early.
    expect(Date.now() - failedAt).toBeGreaterThan(1_990);
  });

  describe('of a form with a proof of work', () => {
    let form: Form;
    beforeAll(async () => {
      ({ form } = await publicForm({ proofOfWork: PROOF }));
    });

    it('solves the challenge, and shows the progress', async () => {
      const window = await look(form);
      const progress: number[] = [];
      window.draft.subscribe(() => {
        const { saving } = window.shown;
        if (saving.kind === 'saving') progress.push(...[saving.progress ?? []].flat());
      });
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('done');
      expect(window.shown).toMatchObject({ respondent: 'active', saving: { kind: 'saved' } });
      expect(progress[0]).toBe(0);
    });

    it.each([1, 2])(
      'solves a new challenge if the service refuses %i proofs, and gives up after two',
      async (times) => {
        const proofs: string[] = [];
        const window = await look(form, {
          fetch: async (request) => {
            if (!request.url.endsWith('/respondents')) return fetch(request);
            const body = (await request.json()) as { proof: string };
            proofs.push(body.proof);
            const proof = proofs.length > times ? body.proof : 'refused';
            const { url, headers } = request;
            return fetch(url, { method: 'POST', headers, body: JSON.stringify({ ...body, proof }) });
          },
        });
        expect(proofs).toEqual([]);
        window.draft.change('name', 'Ada');
        expect(await window.draft.save()).toBe(times === 1 ? 'done' : 'failed');
        const failing = { kind: 'failing', error: { errors: [{ field: 'proof' }] } };
        expect(window.shown).toMatchObject({
          ...{ respondent: 'active', saving: times === 1 ? { kind: 'saved' } : failing },
        });
        expect(new Set(proofs).size).toBe(2);
      },
    );

    it('asks for a challenge if the form has got a proof of work since its schema was read', async () => {
      const window = await look(form, {
        fetch: async (request) => {
          const response = await fetch(request);
          if (!request.url.endsWith('/schema')) return response;
          const body = (await response.json()) as { data: object };
          return Response.json({ data: { ...body.data, proof_of_work: null } });
        },
      });
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('done');
    });
  });
});
