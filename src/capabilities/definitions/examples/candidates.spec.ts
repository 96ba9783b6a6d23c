import type { RuleKind } from '../../../forms/entities/rule-kinds.js';
import { candidatesFor } from './candidates.js';

const TODAY = new Date('2026-11-28T12:00:00Z');
const PLACE = { submission: 3, record: -1 };

const rule = (kind: RuleKind, value: string) => ({ kind, value, message: null });
const fieldOf = (component: string, properties: object = {}) => ({
  ...{ code: 'answer', placeholder: null, options: [], rules: [], meta: null, order: 1 },
  field_type: { name: component, component },
  ...properties,
});
const options = (...values: string[]) => ({
  options: values.map((value, order) => ({ label: value, value, order })),
});
const candidates = (component: string, properties?: object) =>
  candidatesFor(fieldOf(component, properties), PLACE, TODAY);

it.each<[string, string, object, RegExp]>([
  ['a checkbox without options', 'checkbox-input', {}, /^true$/],
  ['an email field', 'email-input', {}, /^[a-z-]+\.[a-z-]+@example\.org$/],
  ['a text', 'text-input', { placeholder: 'WP-1' }, /^WP-1$/],
  ['a text without placeholder', 'textarea-input', {}, /^[A-Z].*\.$/],
  ['a given name', 'text-input', { meta: { autocomplete: 'given-name' }, placeholder: 'x' }, /^[A-Z]\D+$/],
  ['a full name', 'text-input', { meta: { autocomplete: 'name' }, placeholder: 'x' }, /^\S+ \S+$/],
  ['an unknown component', 'slider', { placeholder: '5' }, /^5$/],
])('answers %s', (_, component, properties, expected) => {
  expect(candidates(component, properties)[0]).toMatch(expected);
});

it.each([
  ['a file', 'file-input', {}],
  ['a heading', 'heading-display', {}],
  ['a text with a pattern and no placeholder', 'text-input', { rules: [rule('pattern', '[A-Z]')] }],
])('has no answer for %s', (_, component, properties) => {
  expect(candidates(component, properties)).toEqual([]);
});

it('offers every option of a select, and lists of the options of a checkbox', () => {
  expect([...candidates('select-input', options('a', 'b', 'c'))].toSorted()).toEqual(['a', 'b', 'c']);
  const lists = candidates('checkbox-input', options('a', 'b', 'c'));
  expect(lists.every((list) => list.split(',').every((one) => 'abc'.includes(one)))).toBe(true);
  expect(lists).toEqual(expect.arrayContaining(['a', 'b', 'c']));
});

it('varies the number of the placeholder within the bounds and with its decimals', () => {
  const rules = [rule('min', '1'), rule('max', '30')];
  const numbers = candidates('number-input', { placeholder: '20', rules });
  expect(numbers.map(Number).toSorted((a, b) => a - b)).toEqual([5, 10, 20, 30, 30]);
  expect(candidates('number-input', { placeholder: '86.50' }).every((one) => /\.\d\d$/.test(one))).toBe(true);
  const bounds = { rules: [rule('min', '2'), rule('max', '4')] };
  expect(candidates('number-input', bounds).every((one) => Number(one) >= 2 && Number(one) <= 4)).toBe(true);
});

it.each([
  ['from today on', [rule('min_date', 'today')], '2026-11-28', '2028-01-01'],
  ['until today', [rule('min_date', 'today-730d'), rule('max_date', 'today')], '2024-11-28', '2026-11-28'],
  ['of a birth', [rule('min_date', '1900-01-01'), rule('max_date', 'today')], '1930-01-01', '2000-01-01'],
])('chooses dates %s, in the order of the fields', (_, rules, least, most) => {
  const [first, second] = [1, 2].map((order) => candidates('date-input', { rules, order })[0] ?? '');
  expect(first! >= least && second! <= most && first! < second!).toBe(true);
});

it('gives different places different answers, and the same place the same', () => {
  const choices = options('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const at = (submission: number) =>
    candidatesFor(fieldOf('select-input', choices), { submission, record: -1 })[0];
  const first = Array.from({ length: 20 }, (__, submission) => at(submission));
  expect(new Set(first).size).toBeGreaterThan(4);
  expect(first).toEqual(Array.from({ length: 20 }, (__, submission) => at(submission)));
});
