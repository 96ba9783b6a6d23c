import type { FormSchema } from 'formtrail-client';
import { allowedAnswers, type Prefill } from '../src/prefill.js';

describe('values to begin with', () => {
  const field = (code: string, component: string, more: object = {}) => ({
    ...{
      code,
      field_type: { component },
      options: [],
      rules: [],
      is_repeatable: false,
      meta: { prefill: true },
    },
    ...more,
  });
  const options = ['a', 'b', 'c, d'].map((value) => ({ value, label: value }));
  const form = {
    steps: [
      {
        fields: [
          field('text', 'text-input', { rules: [{ kind: 'max_length', value: '3' }] }),
          field('long', 'textarea-input'),
          field('rating', 'rating-input', { options }),
          field('one', 'radio-input', { options }),
          field('several', 'checkbox-input', { options }),
          field('tick', 'checkbox-input'),
          field('day', 'date-input'),
          field('private', 'text-input', { meta: null }),
          field('truthy', 'text-input', { meta: { prefill: 'yes' } }),
        ],
      },
      {
        fields: [
          field('entry', 'text-input', { is_repeatable: true }),
          field('file', 'file-input'),
          field('heading', 'heading-display'),
        ],
      },
    ],
  } as unknown as FormSchema;
  let warned: string[];

  beforeEach(() => {
    warned = [];
    jest.spyOn(console, 'warn').mockImplementation((text: string) => void warned.push(text));
  });
  afterEach(() => jest.restoreAllMocks());

  const allowed = (given: Prefill) => Object.fromEntries(allowedAnswers(given, form));

  it.each([
    ['text', 'äöü'],
    ['text', '🙂🙂🙂'],
    ['long', 'x'.repeat(65_535)],
    ['rating', 'whatever'],
    ['one', 'a'],
    ['one', ''],
    ['several', 'a,c, d'],
    ['tick', 'true'],
    ['day', '2030-06-30'],
  ])('are taken for the field "%s"', (code, value) => {
    expect([allowed({ [code]: value }), warned]).toEqual([{ [code]: value }, []]);
  });

  it.each<[string, unknown, string]>([
    ['text', 'four', 'it is too long'],
    ['long', 'x'.repeat(65_536), 'it is too long'],
    ['long', 5, 'it is not a string'],
    ['one', 'x', 'it is not an option'],
    ['several', 'a,x', 'it is not an option'],
    ['day', '2030-02-31', 'it is not a date'],
    ['private', 'x', 'the "meta" of the field has no "prefill": true'],
    ['truthy', 'x', 'the "meta" of the field has no "prefill": true'],
    ['entry', 'x', 'the field is repeatable'],
    ['file', 'file:x', 'the field is for a file'],
    ['heading', 'x', 'the field only displays text'],
    ['toString', 'x', 'the form has no such field'],
  ])(
    'are ignored for the field "%s" if the field does not allow them, which the console says',
    (code, value, reason) => {
      expect(allowed({ [code]: value } as Record<string, string>)).toEqual({});
      expect(warned).toEqual([`formtrail: The value to begin with for "${code}" is ignored: ${reason}.`]);
    },
  );

  it('come from the query of an address, which has parameters for other programs too', () => {
    const query = new URLSearchParams('text=abc&several=a&several=b&utm_source=mail&private=secret');
    expect(allowed(query)).toEqual({ text: 'abc', several: 'a,b' });
    expect(warned).toEqual([expect.stringContaining('"private"')]);
  });
});
