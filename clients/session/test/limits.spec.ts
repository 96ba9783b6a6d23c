import type { Availability, FormSchema } from 'formtrail-client';
import { FormtrailClient } from 'formtrail-client';
import { Draft, type ShownDraft } from 'formtrail-session';

const FORM = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
const DRAFT = '2b4e28ba-2fa1-41d2-883f-0016d3cca427';
const NO_LIMITS = { opens_at: null, closes_at: null, max_submissions: null, max_per_user: null };

/** A page that a test can hide. */
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const drafts: (() => void)[] = [];
beforeAll(() => Object.assign(globalThis, { document: page }));
afterEach(() => {
  for (const close of drafts.splice(0)) close();
});
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document');
});

interface Case {
  readonly availability?: Partial<Availability>;
  readonly form?: Partial<FormSchema>;
  /** Places of the options. */
  readonly places?: readonly (number | null)[];
  /** Whether the user has a draft. */
  readonly hasDraft?: boolean;
  readonly isTest?: boolean;
  /** Whether each completed submission is a test. */
  readonly completed?: readonly boolean[];
}

/** A service that a test can change. The draft is that of a user with a token. */
function serviceOf({ form, places = [], ...given }: Case) {
  const field = {
    ...{ id: 1, code: 'name', label: 'Name', entity: null, is_repeatable: false, default_value: null },
    ...{ rules: [], field_type: { component: 'radio-input' }, meta: null },
    options: places.map((one, index) => ({ value: `${index}`, label: '', places: one })),
  };
  const schema = {
    ...{ uuid: FORM, version: 1, is_active: true, access: 'token', closes_drafts: false, entities: [] },
    ...{ steps: [{ id: 1, title: '', step_number: 1, fields: [field] }], ...NO_LIMITS, ...form },
  };
  const availability: Availability = {
    ...{ is_open: true, opens_at: null, closes_at: null, places_left: null, options: [] },
    ...given.availability,
  };
  const submission = {
    ...{ uuid: DRAFT, status: 'draft', current_step: 1, values: [], records: [] },
    is_test: given.isTest === true,
  };
  const conditions = { data: { 1: { visible: true, required: false } }, records: {}, entities: [] };
  const states = { ...conditions, steps: [{ is_visible: true, has_visible_fields: true }] };
  const listed = (status: string | null) => {
    if (status === 'completed') return (given.completed ?? []).map((is_test) => ({ is_test }));
    return given.hasDraft ? [submission] : [];
  };
  const answers: [method: string, path: RegExp, body: (query: URLSearchParams) => object][] = [
    ['GET', /schema$/, () => ({ data: schema })],
    ['GET', /availability$/, () => ({ data: availability })],
    ['GET', /forms\/.*conditions$/, () => ({ ...states, form_version: 1 })],
    ['GET', /submissions$/, (query) => ({ data: listed(query.get('status')), links: {} })],
    ['GET', /submissions\/[^/]+$/, () => ({ data: submission, conditions: states, form_version: 1 })],
  ];
  const requests: string[] = [];
  const refusal = { code: 'invalid_data', errors: [] as object[] };
  const client = new FormtrailClient({
    ...{ url: 'http://service', token: 'ftk_', patience: 0 },
    fetch: ({ method, url }) => {
      const { pathname, searchParams } = new URL(url);
      requests.push(`${method} ${pathname.split('/').at(-1)}`);
      const found = answers.find(([one, path]) => one === method && path.test(pathname));
      if (found) return Promise.resolve(Response.json(found[2](searchParams)));
      const headers = { 'Content-Type': 'application/problem+json' };
      return Promise.resolve(Response.json(refusal, { status: 422, headers }));
    },
  });
  const draft = new Draft({ client, form: FORM });
  return {
    ...{ draft, availability, refusal, requests },
    open: async () => {
      drafts.push(draft.subscribe(() => undefined));
      await draft.open();
      return draft.getSnapshot() as ShownDraft;
    },
    shown: () => draft.getSnapshot() as ShownDraft,
    reads: () => requests.filter((one) => one === 'GET availability').length,
  };
}

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const [earlier, past, future, later] = [inHours(-2), inHours(-1), inHours(1), inHours(2)];
const CLOSED = { is_open: false, closes_at: past };
/** The form has a limit, and the availability may be newer than the schema. */
const LIMITED = { max_submissions: 9 };
const closing = { ...LIMITED, closes_drafts: true };

describe('the limits of a form', () => {
  it.each<[reads: number, given: Case]>([
    [0, {}],
    [0, { places: [null] }],
    [1, { form: { opens_at: future } }],
    [1, { form: { closes_at: future } }],
    [1, { form: { max_submissions: 1 } }],
    [1, { form: { max_per_user: 1 } }],
    [1, { places: [null, 0] }],
    [1, { places: [3] }],
  ])('are read %i times when the form is opened (%#)', async (reads, given) => {
    const service = serviceOf(given);
    await service.open();
    expect(service.reads()).toBe(reads);
  });

  it.each<[code: string | undefined, isReadOnly: boolean, given: Case]>([
    [undefined, false, { availability: {} }],
    [undefined, false, { availability: { places_left: 1, opens_at: past, closes_at: future } }],
    ['quota_reached', true, { availability: { places_left: 0 } }],
    ['quota_reached', false, { availability: { places_left: 0 }, hasDraft: true }],
    ['not_open_yet', true, { availability: { is_open: false, opens_at: future } }],
    ['not_open_yet', true, { availability: { is_open: false, opens_at: future, closes_at: later } }],
    [undefined, false, { availability: { is_open: false, opens_at: future }, hasDraft: true }],
    ['closed', true, { availability: CLOSED }],
    ['closed', true, { availability: { ...CLOSED, opens_at: earlier, places_left: 0 } }],
    [undefined, false, { availability: CLOSED, hasDraft: true }],
    ['quota_reached', false, { availability: { ...CLOSED, places_left: 0 }, hasDraft: true }],
    ['closed', true, { availability: CLOSED, hasDraft: true, form: closing }],
    [undefined, false, { availability: CLOSED, hasDraft: true, form: closing, isTest: true }],
    [undefined, false, { availability: { places_left: 0 }, hasDraft: true, isTest: true }],
    ['inactive_form', true, { availability: { is_open: false } }],
    ['inactive_form', true, { availability: { is_open: false, opens_at: past, closes_at: future } }],
    [undefined, false, { availability: { is_open: false }, hasDraft: true, form: closing }],
    ['already_answered', true, { completed: [false, false], form: { max_per_user: 2 } }],
    ['already_answered', false, { completed: [false], form: { max_per_user: 1 }, hasDraft: true }],
    [undefined, false, { completed: [true, false], form: { max_per_user: 2 } }],
    [undefined, false, { completed: [false], form: { max_per_user: 101 } }],
  ])('give the reason %s, and the draft is read-only: %s (%#)', async (code, isReadOnly, given) => {
    const shown = await serviceOf({ ...given, form: { ...LIMITED, ...given.form } }).open();
    expect([shown.unavailable?.code, shown.isReadOnly]).toEqual([code, isReadOnly]);
  });

  it('follow the clock of the service, not that of the device', async () => {
    const availability = { is_open: false, closes_at: future };
    const service = serviceOf({ availability, form: closing, hasDraft: true });
    expect((await service.open()).unavailable).toBeUndefined();
    service.refusal.code = 'form_closed';
    service.draft.change('name', 'Ada');
    await service.draft.save();
    // The limits are read again without waiting for them.
    await new Promise((resolve) => setImmediate(resolve));
    expect(service.shown()).toMatchObject({ isReadOnly: true, unavailable: { code: 'closed' } });
    expect(service.shown().values).toEqual({ name: 'Ada' });
  });

  it('are read every minute while the page is visible and somebody listens', async () => {
    jest.useFakeTimers();
    try {
      const service = serviceOf({ places: [2], availability: { options: [] } });
      const { draft, reads, availability } = service;
      await draft.open();
      await jest.advanceTimersByTimeAsync(120_000);
      expect(reads()).toBe(1);
      const close = draft.subscribe(() => undefined);
      await jest.advanceTimersByTimeAsync(0);
      expect(reads()).toBe(2);
      availability.options = [{ field_id: 1, field_code: 'name', value: '0', places_left: 1 }];
      await jest.advanceTimersByTimeAsync(59_000);
      expect(reads()).toBe(2);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(reads()).toBe(3);
      expect(service.shown().step?.blocks).toMatchObject([{ placesLeft: { 0: 1 } }]);

      const turn = (state: string) => {
        page.visibilityState = state;
        page.dispatchEvent(new Event('visibilitychange'));
      };
      turn('hidden');
      await jest.advanceTimersByTimeAsync(300_000);
      expect([reads(), jest.getTimerCount()]).toEqual([3, 0]);
      turn('visible');
      await jest.advanceTimersByTimeAsync(0);
      expect([reads(), jest.getTimerCount()]).toEqual([4, 1]);
      close();
      turn('visible');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
