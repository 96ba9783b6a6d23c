import { Field } from '../../src/entities.js';
import { sentences } from 'formtrail-session/sentences';
import { type BuiltForm, buildForm, type FieldPlan } from '../support/forms.js';
import { useService } from '../support/service.js';
import { newPerson, type Window } from './support/person.js';

const use = useService();
const say = sentences();

/** The sentence of each shown field error, by question or group. */
const said = (window: Window) =>
  Object.fromEntries(
    window.shown.mistakes.map(({ key = '', mistake }) => [key, say.mistake(mistake, window.question(key))]),
  );

describe('a rule that compares two answers (J9)', () => {
  let form: BuiltForm;
  beforeAll(async () => {
    form = await buildForm(use.database.dataSource, {
      steps: [
        {
          mail: { label: 'Email', type: 'email' },
          again: { label: 'Email again', type: 'email', rules: { equal: { field: 'mail' } } },
          out: { label: '*Departure*', type: 'date' },
          back: { label: 'Return', type: 'date', rules: { min_date: { field: 'out', days: 1 } } },
          from: { type: 'number', isRepeatable: true },
          to: { type: 'number', isRepeatable: true, rules: { min: { field: 'from' } } },
        },
      ],
      entities: [{ name: 'range', isRepeatable: true, of: ['from', 'to'] }],
    });
  });

  it('is checked when the person leaves the question, and named with the label of the other one', async () => {
    const window = await (await newPerson(use, form)).open();
    const { draft } = window;
    draft.change('mail', 'ada@example.org');
    draft.change('again', 'eve@example.org');
    await draft.check('again');
    draft.change('out', '2030-01-31');
    draft.change('back', '2030-01-31');
    await draft.check('back');
    expect(said(window)).toEqual({
      again: 'Give the same answer as to “Email”.',
      back: 'Enter a date on or after 1 February 2030. This depends on “Departure”.',
    });
  });

  it('is no error any more as soon as either answer changes', async () => {
    const window = await (await newPerson(use, form)).open();
    const { draft } = window;
    draft.change('mail', 'ada@example.org');
    draft.change('again', 'eve@example.org');
    draft.change('out', '2030-01-31');
    draft.change('back', '2030-01-31');
    expect(await draft.next()).toBe('mistakes');
    expect(Object.keys(said(window))).toEqual(['again', 'back']);
    draft.change('mail', 'eve@example.org');
    expect(Object.keys(said(window))).toEqual(['back']);
    draft.change('back', '2030-02-01');
    expect(await draft.next()).toBe('last');
  });

  it('is checked in each entry', async () => {
    const window = await (await newPerson(use, form)).open();
    const { draft } = window;
    const [first, second] = [await draft.addEntry('range'), await draft.addEntry('range')];
    draft.change(`from.${first}`, '5');
    draft.change(`to.${first}`, '4');
    draft.change(`from.${second}`, '5');
    draft.change(`to.${second}`, '6');
    await draft.check(`to.${second}`);
    expect(said(window)).toEqual({});
    await draft.check(`to.${first}`);
    const [key] = Object.keys(said(window));
    expect([key, said(window)[key!]]).toEqual([
      `to.${first}`,
      'Enter a number of 5 or more. This depends on “from”.',
    ]);
  });
});

describe('a limit of a sum (J10)', () => {
  const STEPS: Record<string, FieldPlan>[] = [
    {
      share: {
        label: 'Share',
        type: 'number',
        isRepeatable: true,
        rules: { min_sum: '100', max_sum: '100' },
      },
    },
    {},
  ];
  const entities = [{ name: 'owner', label: 'Owner', isRepeatable: true, of: ['share'] }];

  it('is an error of the group, until one of its numbers changes', async () => {
    const window = await (await newPerson(use, STEPS, { entities })).open();
    const { draft } = window;
    const [first, second] = [await draft.addEntry('owner'), await draft.addEntry('owner')];
    draft.change(`share.${first}`, '50');
    draft.change(`share.${second}`, '49.5');
    await draft.check(`share.${second}`);
    expect(said(window)).toEqual({});
    expect(await draft.next()).toBe('mistakes');
    expect(said(window)).toEqual({
      'group:owner': 'The numbers for “Share” have to add up to at least 100, but add up to 99.5.',
    });
    draft.change(`share.${second}`, '50');
    expect(said(window)).toEqual({});
    expect(await draft.next()).not.toBe('mistakes');
  });
});

describe('a choice that excludes others (J12)', () => {
  it('is an error beside another one, when the person leaves the question', async () => {
    const symptoms = { type: 'checkbox', options: ['fever', 'none'], exclusive: ['none'] };
    const window = await (await newPerson(use, [{ symptoms }])).open();
    window.draft.change('symptoms', 'fever,none');
    await window.draft.check('symptoms');
    expect(said(window)).toEqual({ symptoms: '“none” can only be chosen alone.' });
  });
});

describe('a computed answer (K1, K2)', () => {
  const STEPS: Record<string, FieldPlan>[] = [
    {
      price: { type: 'number', isRepeatable: true },
      count: { type: 'number', isRepeatable: true },
      line: { type: 'number', isRepeatable: true, computed: { op: 'product', of: ['price', 'count'] } },
      total: { type: 'number', rules: { max: '100' }, computed: { op: 'sum', of: ['line'] } },
      reason: { conditions: [['total', 'greater_than', '50', 'show']] },
    },
    {},
  ];
  const entities = [{ name: 'item', isRepeatable: true, of: ['price', 'count', 'line'] }];

  it('follows the answers with each save, in entries too, without another request', async () => {
    const urls: string[] = [];
    const person = await newPerson(use, STEPS, { entities });
    const window = await person.open({
      fetch: (request) => {
        urls.push(request.url);
        return fetch(request);
      },
    });
    const { draft } = window;
    const id = await draft.addEntry('item');
    window.requests.length = urls.length = 0;
    draft.change(`price.${id}`, '12.50');
    draft.change(`count.${id}`, '3');
    expect(await draft.save()).toBe('done');
    expect(window.requests).toEqual(['POST values']);
    expect(urls[0]).toContain('computed=true');
    expect(window.question(`line.${id}`)).toMatchObject({ value: '37.5', isComputed: true });
    expect(window.question('total')).toMatchObject({ value: '37.5', isComputed: true });
    expect(window.question(`price.${id}`)).toMatchObject({ value: '12.50', isComputed: false });
    expect(window.shown.values).toMatchObject({ total: '37.5' });
    expect(window.question('reason')).toBeUndefined();
    draft.change(`count.${id}`, '5');
    await draft.save();
    expect(window.question('total')?.value).toBe('62.5');
    expect(window.question('reason')).toBeDefined();
    // Another window reads it, and sees no change that somebody else has made.
    const other = await person.look();
    expect(other.question('total')?.value).toBe('62.5');
    await other.draft.save();
    expect(other.shown.changedElsewhere).toBe(false);
    draft.change(`count.${id}`, '');
    await draft.save();
    expect(window.question(`line.${id}`)?.value).toBe('');
    expect(window.question('total')?.value).toBe('0');
  });

  it('has field errors, which disappear when an answer changes', async () => {
    const window = await (await newPerson(use, STEPS, { entities })).open();
    const { draft } = window;
    const id = await draft.addEntry('item');
    draft.change(`price.${id}`, '200');
    draft.change(`count.${id}`, '1');
    expect(await draft.next()).toBe('mistakes');
    expect(said(window)).toEqual({ total: 'Enter a number of 100 or less.' });
    draft.change(`price.${id}`, '99');
    expect(said(window)).toEqual({});
    expect(await draft.next()).not.toBe('mistakes');
  });

  it('has no default value, and replaces what the person has entered before the form got the formula', async () => {
    const steps: Record<string, FieldPlan>[] = [
      { a: { type: 'number' }, b: { type: 'number', defaultValue: '7' } },
      {},
    ];
    const person = await newPerson(use, steps);
    const window = await person.look();
    expect(window.question('b')?.value).toBe('7');
    await use.service.hearing(() =>
      use.database.dataSource.manager.update(Field, person.fields['b']!.id, {
        computed: { op: 'sum', of: ['a'] },
      }),
    );
    window.draft.change('a', '1');
    await window.until('saved');
    expect(window.question('b')).toMatchObject({ value: '1', isComputed: true });
    expect(await window.draft.next()).not.toBe('mistakes');
  });

  it('costs forms without formulas nothing', async () => {
    const urls: string[] = [];
    const window = await (
      await newPerson(use, [{ name: {} }])
    ).open({
      fetch: (request) => {
        urls.push(request.url);
        return fetch(request);
      },
    });
    window.draft.change('name', 'Ada');
    await window.draft.save();
    expect(urls.filter((url) => url.includes('computed'))).toEqual([]);
  });
});
