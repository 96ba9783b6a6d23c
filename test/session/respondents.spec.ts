import { createHash } from 'node:crypto';
import { createChallenge, solveChallenge, verifySolution } from 'altcha-lib/v1';
import { type Challenge, FormtrailClient, UnauthenticatedError } from 'formtrail-client';
import { Draft, type DraftOptions, type DraftSnapshot, type ShownDraft } from 'formtrail-session';
import { takeResumeCode } from 'formtrail-session/resume-link';
import { solve } from '../../clients/session/src/proof.js';
import { Search } from '../../clients/session/src/search.js';
import type { Form } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { buildEntity, buildForm, type FieldPlan } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { letTokensExpire } from '../support/respondents.js';
import { Device, Window } from './support/person.js';

const KEY = Buffer.alloc(32, 5).toString('base64');
const use = useService({ CHALLENGE_KEY: KEY });

const STEPS: Record<string, FieldPlan>[] = [{ name: {}, note: {} }, { age: {} }];
/** Enough numbers for several reports of the progress. */
const PROOF = 5_000;

const publicForm = (form: Partial<Form> = {}, steps = STEPS) =>
  buildForm(use.database.dataSource, { form: { access: 'public', ...form }, steps });

const windows: Window[] = [];

/** Opens a form as a visitor without a token, who only looks. */
async function look(form: Form, options: Partial<DraftOptions> = {}) {
  const window = new Window({ form: form.slug, ...options, client: { url: use.service.url } });
  windows.push(window);
  await window.draft.open();
  return window;
}

/** Opens a form as a visitor without a token, and begins a submission. */
async function visit(form: Form, options: Partial<DraftOptions> = {}) {
  const window = await look(form, options);
  await window.begin();
  return window;
}

/** The item of the device that holds the token. */
function itemOf(device: Device, { uuid }: Form): { token: string; submissions: string[] } {
  return JSON.parse(device.getItem(`formtrail:${use.service.url}:${uuid}`) ?? '{}');
}

/** Lets the token that the device holds expire, and waits until the service rejects it. */
async function expire(device: Device, form: Form): Promise<void> {
  const { token } = itemOf(device, form);
  const hash = createHash('sha256').update(token).digest();
  const find = 'select user_id as id from api_tokens where token_hash = $1';
  const [user] = await use.database.dataSource.query(find, [hash]);
  await letTokensExpire(use.database, user);
  // No program has changed the token, so the service is told nothing.
  await use.database.dataSource.query(`select pg_notify('formtrail', 'token ' || $1)`, [
    hash.toString('hex'),
  ]);
  const client = new FormtrailClient({ url: use.service.url, token });
  await eventually('the token is rejected', () =>
    client.listSubmissions().then(
      () => false,
      (error: unknown) => error instanceof UnauthenticatedError,
    ),
  );
}

const failureOf = (draft: Draft) => (draft.getSnapshot() as ShownDraft).failure;
const requestsFor = (window: Window, name: string) => window.requests.filter((one) => one === `POST ${name}`);

async function respondentsOf({ id }: Form): Promise<number> {
  const query = 'select count(*)::int as count from respondents where form_id = $1';
  const [{ count }] = await use.database.dataSource.query(query, [id]);
  return count;
}

afterEach(() => {
  for (const window of windows.splice(0)) window.close();
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

describe('a visitor of a public form', () => {
  it('becomes a respondent without a token, fills in the form, and completes it', async () => {
    const { form } = await publicForm();
    const window = await visit(form);
    expect(window.shown).toMatchObject({ status: 'open', respondent: 'active' });
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('done');
    expect(await window.draft.complete()).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', respondent: 'active', endedElsewhere: false });
    expect(await respondentsOf(form)).toBe(1);
  });

  it('does not become one if the client has a token, or if the form is not public', async () => {
    const { form } = await publicForm();
    const { plainToken: token } = await newUser(use);
    const signedIn = new Window({
      form: form.slug,
      storage: new Device(),
      client: { url: use.service.url, token },
    });
    windows.push(signedIn);
    await signedIn.draft.open();
    expect(signedIn.shown.respondent).toBeUndefined();

    const { form: other } = await publicForm({ access: 'token' });
    const window = await visit(other);
    expect(window.draft.getSnapshot()).toMatchObject({
      ...{ status: 'failed', error: { status: 401 }, respondent: undefined },
    });
    expect(await respondentsOf(form)).toBe(0);
    expect(await respondentsOf(other)).toBe(0);
  });

  it('begins another draft as the same respondent', async () => {
    const { form } = await publicForm();
    const device = browser('sessionStorage');
    const window = await visit(form);
    const other = await visit(form, { submission: null });
    const client = new FormtrailClient({ url: use.service.url, token: itemOf(device, form).token });
    const { data } = await client.listSubmissions();
    expect(data.map(({ uuid }) => uuid)).toEqual([other.shown.submission, window.shown.submission]);
    expect(await respondentsOf(form)).toBe(1);
  });

  it('becomes one if the first draft has to be a new one', async () => {
    const { form } = await publicForm();
    browser('sessionStorage');
    expect((await visit(form, { submission: null })).shown).toMatchObject({
      status: 'open',
      respondent: 'active',
    });
    expect(await respondentsOf(form)).toBe(1);
  });

  it('begins nothing by looking: no respondent, no proof of work, no item on the device', async () => {
    const { form } = await publicForm({ proofOfWork: PROOF });
    const device = browser('sessionStorage');
    const window = await look(form);
    expect(window.shown).toMatchObject({ status: 'open', respondent: 'active', submission: undefined });
    await window.draft.save();
    window.close();
    expect(
      window.requests.filter((one) => !/^GET forms\/[\w-]+(\/(by-slug|schema|conditions))$/.test(one)),
    ).toEqual([]);
    expect([await respondentsOf(form), device.items.size]).toEqual([0, 0]);
    await window.draft.signOut();
    expect(window.shown.status).toBe('discarded');
  });

  it('is told that a form is not active before anything is typed, without a request to begin', async () => {
    const { form } = await publicForm({ isActive: false });
    const window = await look(form);
    expect(window.draft.getSnapshot()).toMatchObject({
      ...{
        status: 'failed',
        error: { status: 422, errors: [{ field: 'form_uuid', code: 'inactive_form' }] },
      },
    });
    expect(requestsFor(window, 'respondents')).toEqual([]);
  });

  describe('in two windows that begin at the same moment', () => {
    /** Gives the environment these locks. Returns a function that takes them away. */
    const pretend = (locks: object | undefined) => {
      const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
      Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks } });
      return () => {
        Reflect.deleteProperty(globalThis, 'navigator');
        if (before) Object.defineProperty(globalThis, 'navigator', before);
      };
    };
    /** Locks as a browser has them, which hold in all tabs. */
    const browserLocks = () => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        request: (_: string, task: () => Promise<unknown>) => {
          const result = last.then(task, task);
          last = result.catch(() => undefined);
          return result;
        },
      };
    };

    it.each([
      ['with locks', browserLocks],
      ['without locks', () => undefined],
    ])('shares one respondent and one draft, and loses nothing, %s', async (_, locks) => {
      const restore = pretend(locks());
      try {
        const { form } = await publicForm();
        const storage = new Device();
        const windows = [await look(form, { storage }), await look(form, { storage })] as const;
        const [one, other] = windows;
        one.draft.change('name', 'Ada');
        other.draft.change('note', 'Hello');
        await Promise.all(windows.map(({ draft }) => draft.save()));
        expect(one.shown.submission).toBe(other.shown.submission);
        expect(windows.flatMap((window) => requestsFor(window, 'respondents'))).toHaveLength(1);
        expect(windows.flatMap((window) => requestsFor(window, 'submissions'))).toHaveLength(1);
        const again = await look(form, { storage });
        expect(again.shown).toMatchObject({
          submission: one.shown.submission,
          values: { name: 'Ada', note: 'Hello' },
        });
        expect(await respondentsOf(form)).toBe(1);
      } finally {
        restore();
      }
    });

    it('shows both answers to one question', async () => {
      const { form } = await publicForm();
      const storage = new Device();
      const windows = [await look(form, { storage }), await look(form, { storage })] as const;
      windows[0].draft.change('name', 'A');
      windows[1].draft.change('name', 'B');
      await windows[0].draft.save();
      expect(await windows[1].draft.save()).toBe('changed');
      expect(windows[1].shown.conflicts).toMatchObject([{ key: 'name', mine: 'B', theirs: 'A' }]);
    });

    it('keeps the token of a tab that has begun during the own request', async () => {
      const { form } = await publicForm();
      const storage = new Device();
      const other = await look(form, { storage: new Device() });
      await other.begin();
      const theirs = JSON.stringify(itemOf(other.draft.options.storage as Device, form));
      const client = {
        url: use.service.url,
        fetch: async (request: Request) => {
          const response = await fetch(request);
          // A tab of a browser without locks.
          if (request.url.endsWith('/respondents'))
            storage.setItem(`formtrail:${use.service.url}:${form.uuid}`, theirs);
          return response;
        },
      };
      const window = new Window({ form: form.slug, storage, client });
      windows.push(window);
      await window.draft.open();
      window.draft.change('name', 'Ada');
      expect(await window.draft.save()).toBe('done');
      expect(window.shown.submission).toBe(other.shown.submission);
      expect(JSON.stringify(itemOf(storage, form))).toBe(theirs);
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

  it('discards the draft as the respondent', async () => {
    const { form } = await publicForm();
    const device = browser('sessionStorage');
    const window = await visit(form);
    expect(await window.draft.discard()).toBe('done');
    const client = new FormtrailClient({ url: use.service.url, token: itemOf(device, form).token });
    expect((await client.listSubmissions()).data).toEqual([]);
  });

  describe('with storage', () => {
    it('keeps the token and unsaved answers in sessionStorage, and continues the same draft after a reload', async () => {
      const session = browser('sessionStorage');
      const local = browser('localStorage');
      const { form } = await publicForm();
      const window = await visit(form);
      window.draft.change('name', 'Ada');
      const { submission } = window.shown;
      expect([...session.items.keys()].sort()).toEqual([
        `formtrail:${submission}:name`,
        `formtrail:${use.service.url}:${form.uuid}`,
      ]);
      window.close();
      await eventually('it is saved', () => window.shown.saving.kind === 'saved');

      const again = await visit(form);
      expect(again.shown).toMatchObject({ submission, values: { name: 'Ada' }, respondent: 'active' });
      expect(requestsFor(again, 'respondents')).toEqual([]);
      expect(local.items.size).toBe(0);
    });

    it('keeps both in localStorage with remember', async () => {
      const session = browser('sessionStorage');
      const local = browser('localStorage');
      const { form } = await publicForm();
      const window = await visit(form, { remember: true });
      expect(itemOf(local, form)).toMatchObject({
        token: expect.stringMatching(/^ftr_/),
        submissions: [window.shown.submission],
      });
      expect(session.items.size).toBe(0);
    });

    it.each(['missing', 'blocked'] as const)(
      'works for as long as the page if storage is %s',
      async (storage) => {
        if (storage === 'blocked') {
          browser('sessionStorage', 'blocked');
          browser('localStorage', 'blocked');
        }
        const { form } = await publicForm();
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
      const draft = new Draft({ client, form: form.slug });
      await draft.open();
      expect([...device.items.keys()].sort()).toEqual(
        [form, other].map(({ uuid }) => `formtrail:${use.service.url}:${uuid}`).sort(),
      );
      expect(await respondentsOf(form)).toBe(1);
    });

    it('ends the token, and deletes it and unsaved answers to all drafts from the device when the user signs out', async () => {
      const device = browser('sessionStorage');
      const { form } = await publicForm({}, [{ name: {}, cv: { type: 'file' } }]);
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

    it('keeps the unsaved answers of a user with a token when the page signs a visitor out', async () => {
      const { form } = await publicForm();
      const { plainToken: token } = await newUser(use);
      const storage = new Device();
      const window = new Window({ form: form.slug, storage, client: { url: use.service.url, token } });
      windows.push(window);
      await window.draft.open();
      window.draft.change('name', 'Ada');
      await window.draft.signOut();
      expect(window.shown).toMatchObject({ status: 'open', values: { name: 'Ada' } });
      expect(storage.items.size).toBe(1);
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
        status: 'open',
        respondent: 'expired',
        values: { name: 'Ada' },
        saving: { kind: 'signed-out', error: { status: 401 } },
      });
      window.draft.retry();
      expect(await window.draft.next()).toBe('failed');

      // A reload asks again.
      window.close();
      const again = await visit(form);
      expect(again.draft.getSnapshot()).toMatchObject({
        status: 'failed',
        respondent: 'expired',
        error: { status: 401 },
      });
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
      expect(failureOf(window.draft)).toMatchObject({ errors: [{ field: 'code' }] });

      expect(await window.draft.resume(code)).toBe('done');
      expect(window.shown).toMatchObject({
        ...{ submission, respondent: 'active', failure: undefined, step: { position: 2 } },
      });
      await window.until('saved');
      expect(window.shown.values).toEqual({ age: '36' });
      expect(await respondentsOf(form)).toBe(1);
    });

    it('goes on with a resume code after a reload, too', async () => {
      const { form } = await publicForm();
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
      await again.until('saved');
      expect(again.shown).toMatchObject({ submission: window.shown.submission, values: { name: 'Ada' } });
    });

    it('begins again with the answers and entries that the user sees, except files', async () => {
      const built = await publicForm({}, [
        { name: {}, cv: { type: 'file' }, amount: { isRepeatable: true } },
        { age: {} },
      ]);
      const plan = { name: 'expense', isRepeatable: true };
      await buildEntity(use.database.dataSource, built, plan, ['amount']);
      const { form } = built;
      const storage = new Device();
      const window = await visit(form, { storage });
      const first = await window.draft.addEntry('expense');
      const second = await window.draft.addEntry('expense');
      window.draft.change(`amount.${second}`, '12.50');
      window.draft.change('name', 'A');
      await window.draft.removeEntry(first ?? 0);
      await window.draft.save();
      await expire(storage, form);
      window.draft.change('name', 'Ada');
      await window.draft.save();
      const { submission } = window.shown;

      expect(await window.draft.beginAgain()).toBe('done');
      await window.until('saved');
      expect(window.shown).toMatchObject({ respondent: 'active', failure: undefined });
      expect(window.shown.submission).not.toBe(submission);
      const [id] = Object.keys(window.shown.states.records);
      expect(window.shown.values).toEqual({ name: 'Ada', [`amount.${id}`]: '12.50' });
      expect([...storage.items.keys()]).toEqual([`formtrail:${use.service.url}:${form.uuid}`]);
      expect(await respondentsOf(form)).toBe(2);
    });

    it('begins again with the unsaved answers of the device after a reload', async () => {
      const { form } = await publicForm();
      const storage = new Device();
      const window = await visit(form, { storage });
      await expire(storage, form);
      window.draft.change('name', 'Ada');
      await window.draft.save();
      window.close();
      const again = await visit(form, { storage });
      expect(await again.draft.beginAgain()).toBe('done');
      await again.until('saved');
      expect(again.shown.values).toEqual({ name: 'Ada' });
      expect(storage.items.size).toBe(1);
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

  describe('on another device', () => {
    it('continues the same draft with a code, which works once', async () => {
      const { form } = await publicForm();
      const window = await visit(form);
      window.draft.change('name', 'Ada');
      const made = await window.draft.resumeCode();
      expect(Date.parse(made?.expires_at ?? '')).toBeGreaterThan(Date.now());

      const storage = new Device();
      const other = new Window({ form: form.slug, storage, client: { url: use.service.url } });
      windows.push(other);
      expect(await other.draft.resume(made?.code ?? '')).toBe('done');
      expect(other.shown).toMatchObject({ submission: window.shown.submission, values: { name: 'Ada' } });
      expect(itemOf(storage, form).submissions).toEqual([window.shown.submission]);
      expect(await respondentsOf(form)).toBe(1);

      const third = await visit(form);
      const { submission } = third.shown;
      expect(await third.draft.resume(made?.code ?? '')).toBe('failed');
      expect(third.shown).toMatchObject({ status: 'open', submission, respondent: 'active' });
    });

    it('gets no code if the user is not a respondent', async () => {
      const { form } = await publicForm();
      const { plainToken: token } = await newUser(use);
      const window = new Window({
        form: form.slug,
        storage: new Device(),
        client: { url: use.service.url, token },
      });
      windows.push(window);
      await window.draft.open();
      expect(await window.draft.resumeCode()).toBeUndefined();
      expect(failureOf(window.draft)).toMatchObject({ status: 422 });
    });

    it('takes the code from the fragment of the address, and removes it from the address bar', () => {
      const replaced: unknown[] = [];
      const pretend = (hash: string) =>
        Object.assign(globalThis, {
          location: { hash, pathname: '/form', search: '?a=b' },
          history: { state: null, replaceState: (...given: unknown[]) => replaced.push(given) },
        });
      try {
        pretend('#resume=7QX2MK-4TBZC');
        expect(takeResumeCode()).toBe('7QX2MK-4TBZC');
        expect(replaced).toEqual([[null, '', '/form?a=b']]);
        pretend('#section');
        expect(takeResumeCode()).toBeUndefined();
        expect(replaced).toHaveLength(1);
      } finally {
        Reflect.deleteProperty(globalThis, 'location');
        Reflect.deleteProperty(globalThis, 'history');
      }
    });
  });

  describe('whom the service makes wait', () => {
    it('saves after the time in Retry-After, and reports the error until then', async () => {
      const { form } = await publicForm();
      let isFirst = true;
      const client = new FormtrailClient({
        url: use.service.url,
        patience: 0,
        fetch: (request) => {
          if (!isFirst || !request.url.endsWith('/respondents')) return fetch(request);
          isFirst = false;
          return Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '2' } }));
        },
      });
      const draft = new Draft({ client, form: form.slug });
      const stop = draft.subscribe(() => undefined);
      await draft.open();
      draft.change('name', 'Ada');
      const failedAt = Date.now();
      expect(await draft.save()).toBe('failed');
      expect(draft.getSnapshot()).toMatchObject({
        ...{ status: 'open', respondent: 'active' },
        saving: { kind: 'failing', error: { status: 429, retryAfter: 2 } },
      });
      await eventually('it is saved', () => (draft.getSnapshot() as ShownDraft).saving.kind === 'saved');
      // Timers may fire a millisecond early.
      expect(Date.now() - failedAt).toBeGreaterThan(1_990);
      stop();
    });
  });

  describe('of a form with a proof of work', () => {
    it('solves the challenge, and shows the progress', async () => {
      const { form } = await publicForm({ proofOfWork: PROOF });
      const client = new FormtrailClient({ url: use.service.url });
      const draft = new Draft({ client, form: form.slug });
      const shown: DraftSnapshot[] = [];
      const stop = draft.subscribe(() => shown.push(draft.getSnapshot()));
      await draft.open();
      draft.change('name', 'Ada');
      expect(await draft.save()).toBe('done');
      stop();
      expect(draft.getSnapshot()).toMatchObject({
        status: 'open',
        respondent: 'active',
        saving: { kind: 'saved' },
      });
      const progress = shown.flatMap((one) =>
        one.status === 'open' && one.saving.kind === 'saving' ? (one.saving.progress ?? []) : [],
      );
      expect(progress[0]).toBe(0);
      expect(progress.every((part, at) => part >= (progress[at - 1] ?? 0) && part <= 1)).toBe(true);
    });

    it.each([1, 2])(
      'solves a new challenge if the service refuses %i proofs, and gives up after two',
      async (times) => {
        const { form } = await publicForm({ proofOfWork: PROOF });
        const proofs: string[] = [];
        const client = new FormtrailClient({
          url: use.service.url,
          fetch: async (request) => {
            if (!request.url.endsWith('/respondents')) return fetch(request);
            const body = (await request.json()) as { proof: string };
            proofs.push(body.proof);
            const proof = proofs.length > times ? body.proof : 'refused';
            return fetch(
              new Request(request.url, {
                method: 'POST',
                headers: request.headers,
                body: JSON.stringify({ ...body, proof }),
              }),
            );
          },
        });
        const draft = new Draft({ client, form: form.slug });
        await draft.open();
        expect(proofs).toEqual([]);
        draft.change('name', 'Ada');
        expect(await draft.save()).toBe(times === 1 ? 'done' : 'failed');
        expect(draft.getSnapshot()).toMatchObject({
          ...{ status: 'open', respondent: 'active' },
          saving:
            times === 1 ? { kind: 'saved' } : { kind: 'failing', error: { errors: [{ field: 'proof' }] } },
        });
        expect(new Set(proofs).size).toBe(2);
      },
    );

    it('asks for a challenge if the form has got a proof of work since its schema was read', async () => {
      const { form } = await publicForm({ proofOfWork: PROOF });
      const client = new FormtrailClient({
        url: use.service.url,
        fetch: async (request) => {
          const response = await fetch(request);
          if (!request.url.endsWith('/schema')) return response;
          const body = (await response.json()) as { data: object };
          return Response.json({ data: { ...body.data, proof_of_work: null } });
        },
      });
      const draft = new Draft({ client, form: form.slug });
      await draft.open();
      draft.change('name', 'Ada');
      expect(await draft.save()).toBe('done');
    });
  });
});

describe('the solver of challenges', () => {
  const challengeOf = (options: { maxnumber: number; number?: number }) =>
    createChallenge({ hmacKey: KEY, ...options }) as Promise<Challenge>;

  it.each([0, 1, 9, 10, 249, 250, 251, 4_999])('finds the number %i, as altcha-lib does', async (number) => {
    const challenge = await challengeOf({ maxnumber: 4_999, number });
    const proof = await solve(challenge, () => undefined);
    expect(await verifySolution(proof, KEY)).toBe(true);
    const { promise } = solveChallenge(challenge.challenge, challenge.salt, 'SHA-256', 4_999);
    expect(JSON.parse(Buffer.from(proof, 'base64').toString())).toEqual({
      algorithm: 'SHA-256',
      challenge: challenge.challenge,
      number: (await promise)?.number,
      salt: challenge.salt,
      signature: challenge.signature,
    });
  });

  it('works on the main thread in slices, and lets other code run in between', async () => {
    const challenge = await challengeOf({ maxnumber: 20_000, number: 20_000 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const progress: number[] = [];
    await solve(challenge, (part) => progress.push(part));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(1);
    expect(progress.length).toBeGreaterThan(2);
  });

  it('rejects a challenge that has no solution, or needs another algorithm', async () => {
    const challenge = await challengeOf({ maxnumber: 1_000, number: 1_000 });
    await expect(solve({ ...challenge, maxnumber: 999 }, () => undefined)).rejects.toThrow('no solution');
    const other = { ...challenge, algorithm: 'SHA-512' } as unknown as Challenge;
    await expect(solve(other, () => undefined)).rejects.toThrow('SHA-512');
    expect(() => new Search({ ...challenge, challenge: '' }).run(1_000)).toThrow('no solution');
  });
});
