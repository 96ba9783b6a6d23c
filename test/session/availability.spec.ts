import type { Form } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { type BuiltForm, buildForm, type FieldPlan } from '../support/forms.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { newPreview } from '../support/respondents.js';
import { useService } from '../support/service.js';
import { Device, newPerson, openWindow, type Window } from './support/person.js';

const use = useService();
const query = (sql: string, values: readonly unknown[] = []) =>
  use.database.dataSource.query(sql, [...values]);
const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
const timeOf = (date: Date) => date.toISOString().replace('Z', '000Z');

const STEPS: Record<string, FieldPlan>[] = [
  { name: {}, workshop: { type: 'radio', options: ['a', 'b'] } },
  { email: { type: 'email' } },
];

const publicForm = (form: Partial<Form> = {}, steps = STEPS) =>
  buildForm(use.database.dataSource, { form: { access: 'public', ...form }, steps });
const visit = ({ form }: BuiltForm, storage = new Device()) =>
  openWindow({ form: form.slug, storage, client: { url: use.service.url } });
const setForm = ({ form }: BuiltForm, sql: string) =>
  use.service.hearing(() => query(`update forms set ${sql} where id = $1`, [form.id]));
const setPlaces = ({ fields }: BuiltForm, places: number) =>
  use.service.hearing(() =>
    query(`update options set places = $2 where field_id = $1 and value = 'a'`, [
      fields.workshop!.id,
      places,
    ]),
  );
/** Lets the timer of a window read the availability now. */
const readLimits = ({ draft }: Window) => draft['answers']!.submission.limits!.read();
const limitRequests = ({ requests }: Window) =>
  requests.filter((request) => request.endsWith('/availability'));
/** The requests that begin something. */
const begun = ({ requests }: Window) => requests.filter((request) => request.startsWith('POST'));

/** Completes a submission of somebody else. */
async function takePlace(built: BuiltForm, value = 'b'): Promise<void> {
  const { client } = await newPerson(use, built);
  const { body } = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  const path = `/api/v1/submissions/${body.data.uuid}`;
  await client.post(`${path}/values`, { values: [{ field_code: 'workshop', value }] });
  expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
}

onOneServer('a form without limits', () => {
  it('is opened and completed without a request for its availability', async () => {
    const window = await visit(await publicForm());
    window.draft.change('name', 'Ada');
    await window.draft.next();
    expect(await window.draft.complete()).toBe('done');
    expect(limitRequests(window)).toEqual([]);
    expect(window.draft['answers']!.submission.limits).toBeUndefined();
  });
});

onOneServer('a form that takes no answers', () => {
  const opensAt = inHours(1);
  const closesAt = inHours(-1);

  it.each<[code: string, form: Partial<Form>, params: object]>([
    ['not_open_yet', { opensAt }, { opens_at: timeOf(opensAt) }],
    ['closed', { closesAt }, { closes_at: timeOf(closesAt) }],
  ])('says %s before the visitor types, and begins nothing', async (code, form, params) => {
    const window = await visit(await publicForm(form));
    expect(window.shown).toMatchObject({
      ...{ status: 'open', isReadOnly: true, submission: undefined, saving: { kind: 'unchanged' } },
      unavailable: { field: 'form_uuid', code, params },
    });
    window.draft.change('name', 'Ada');
    expect(await window.draft.save()).toBe('ended');
    expect(await window.draft.next()).toBe('ended');
    expect(await window.draft.complete()).toBe('ended');
    expect([window.shown.values, begun(window)]).toEqual([{}, []]);
  });

  it('is full as soon as its last submission is completed, and begins again when a place gets free', async () => {
    const built = await publicForm({ maxSubmissions: 1 });
    const window = await visit(built);
    expect(window.shown).toMatchObject({ isReadOnly: false, unavailable: undefined });
    await takePlace(built);
    // The visitor types before the page reads it.
    window.draft.change('name', 'Ada');
    await eventually('the form is full', () => window.shown.unavailable?.code === 'quota_reached');
    expect(window.shown).toMatchObject({ isReadOnly: true, values: { name: 'Ada' } });
    const tries = begun(window).length;
    window.draft.change('name', 'Eve');
    await window.draft.save();
    expect([window.shown.values, begun(window).length]).toEqual([{ name: 'Ada' }, tries]);

    await query('delete from submissions where form_id = $1', [built.form.id]);
    await readLimits(window);
    await window.until('saved');
    expect(window.shown).toMatchObject({
      isReadOnly: false,
      unavailable: undefined,
      values: { name: 'Ada' },
    });
    expect(await window.draft.complete()).toBe('done');
    expect(window.shown.unavailable).toBeUndefined();
  });

  it('says that a user and a respondent have answered it already', async () => {
    const built = await publicForm({ maxPerUser: 1 });
    const device = new Device();
    const person = await newPerson(use, built);
    for (const open of [() => person.look(), () => visit(built, device)]) {
      const first = await open();
      expect(first.shown.unavailable).toBeUndefined();
      first.draft.change('name', 'Ada');
      expect(await first.draft.complete()).toBe('done');
      const second = await open();
      expect(second.shown).toMatchObject({ isReadOnly: true, unavailable: { code: 'already_answered' } });
    }
    expect((await visit(built)).shown.unavailable).toBeUndefined();
  });

  it('can be tried with a preview token', async () => {
    const built = await publicForm({ opensAt, maxSubmissions: 1 });
    const { plainToken: token } = await newPreview(use, built);
    const window = await openWindow({
      ...{ form: built.form.slug, storage: new Device() },
      client: { url: use.service.url, token },
    });
    expect(window.shown).toMatchObject({ isReadOnly: false, unavailable: undefined });
    window.draft.change('name', 'Ada');
    expect(await window.draft.complete()).toBe('done');
  });

  it('opens, although its availability cannot be read: then the service decides', async () => {
    const built = await publicForm({ closesAt });
    const window = await openWindow({
      ...{ form: built.form.slug, storage: new Device() },
      client: {
        url: use.service.url,
        fetch: (request) =>
          request.url.endsWith('/availability')
            ? Promise.reject(new TypeError('Failed to fetch'))
            : fetch(request),
      },
    });
    expect(window.shown.unavailable).toBeUndefined();
    window.draft.change('name', 'Ada');
    await window.until('failing');
    expect(window.shown).toMatchObject({ values: { name: 'Ada' }, saving: { error: { status: 422 } } });
    // The draft does not try again by itself.
    await readLimits(window);
    expect(begun(window)).toEqual(['POST respondents']);
  });
});

onOneServer('a draft of a form that has closed', () => {
  it('goes on if the form does not close drafts', async () => {
    const built = await publicForm({ closesAt: inHours(1) });
    const window = await visit(built);
    window.draft.change('name', 'Ada');
    await window.draft.save();
    await setForm(built, 'closes_at = now()');
    await readLimits(window);
    expect(window.shown).toMatchObject({ isReadOnly: false, unavailable: undefined });
    // The time of the form has changed.
    expect([await window.draft.complete(), await window.draft.complete()]).toEqual(['changed', 'done']);
  });

  it('can be read and deleted with closes_drafts, and keeps what was typed', async () => {
    const built = await publicForm({ closesAt: inHours(1), closesDrafts: true });
    const device = new Device();
    const window = await visit(built, device);
    window.draft.change('name', 'Ada');
    await window.draft.save();
    await setForm(built, 'closes_at = now()');
    window.draft.change('name', 'Eve');
    await eventually('the draft is closed', () => window.shown.isReadOnly);
    expect(window.shown).toMatchObject({
      ...{ unavailable: { code: 'closed' }, values: { name: 'Eve' } },
      saving: { kind: 'failing', error: { code: 'form_closed' } },
    });
    expect(await window.draft.next()).toBe('ended');

    const again = await visit(built, device);
    expect(again.shown).toMatchObject({
      ...{ status: 'open', isReadOnly: true, submission: window.shown.submission },
      ...{ unavailable: { code: 'closed' }, values: { name: 'Eve' }, saving: { kind: 'incomplete' } },
    });
    again.draft.change('name', 'Bob');
    await again.draft.check('name');
    expect([await again.draft.back(), await again.draft.complete(), begun(again)]).toEqual([
      ...['ended', 'ended'],
      [],
    ]);
    expect(again.shown.values).toEqual({ name: 'Eve' });
    expect(await again.draft.discard()).toBe('done');
    expect(again.shown.status).toBe('discarded');
  });

  it('can be filled in but not completed while the form is full', async () => {
    const built = await publicForm({ maxSubmissions: 1 });
    const window = await visit(built);
    window.draft.change('name', 'Ada');
    await window.draft.save();
    await takePlace(built);
    expect(await window.draft.complete()).toBe('failed');
    await eventually('it is said', () => window.shown.unavailable !== undefined);
    expect(window.shown).toMatchObject({
      ...{ isReadOnly: false, unavailable: { code: 'quota_reached' }, values: { name: 'Ada' } },
      failure: { code: 'quota_reached' },
    });
    window.draft.change('name', 'Eve');
    expect(await window.draft.save()).toBe('done');
  });
});

onOneServer('an option with places', () => {
  it.each(['strict', 'lenient'] as const)(
    'that loses its last place is marked at %s completion, and nothing typed is lost',
    async (completion) => {
      const built = await publicForm({ completion });
      await setPlaces(built, 1);
      const window = await visit(built);
      const { draft } = window;
      expect(window.question('workshop')!.placesLeft).toEqual({ a: 1 });
      expect(window.question('name')!.placesLeft).toEqual({});
      draft.change('name', 'Ada');
      draft.change('workshop', 'a');
      expect(await draft.next()).toBe('done');
      draft.change('email', 'ada@example.org');
      await draft.save();
      await takePlace(built, 'a');
      expect(await draft.complete()).toBe('mistakes');
      expect(window.shown).toMatchObject({
        ...{ step: { number: 1 }, isReadOnly: false, unavailable: undefined },
        values: { name: 'Ada', workshop: 'a', email: 'ada@example.org' },
      });
      expect(window.question('workshop')).toMatchObject({
        ...{ value: 'a', placesLeft: { a: 0 } },
        mistake: { code: 'option_full', params: { value: 'a' } },
      });
      draft.change('workshop', 'b');
      expect(window.question('workshop')!.mistake).toBeUndefined();
      expect(await draft.complete()).toBe('done');
    },
  );

  it('is read when the form is opened, and before completion', async () => {
    const built = await publicForm();
    await setPlaces(built, 2);
    const window = await visit(built);
    expect(limitRequests(window)).toHaveLength(1);
    await takePlace(built, 'a');
    expect(await window.draft.complete()).toBe('done');
    expect(limitRequests(window)).toHaveLength(2);
    expect(window.shown.steps[0]?.blocks).toMatchObject([{}, { placesLeft: { a: 1 } }]);
  });

  it('is known from the moment when the form gets places', async () => {
    const built = await publicForm();
    const window = await visit(built);
    window.draft.change('name', 'Ada');
    await window.draft.save();
    expect(limitRequests(window)).toEqual([]);
    await setPlaces(built, 3);
    window.draft.change('name', 'Eve');
    await window.draft.save();
    expect(window.question('workshop')!.placesLeft).toEqual({ a: 3 });
    expect(limitRequests(window)).toHaveLength(1);
  });
});
