import fc from 'fast-check';
import type { Field } from 'formtrail-client';
import type { Question, ShownDraft } from 'formtrail-session';
import {
  answerText,
  chosenIn,
  isShownAsDate,
  joinChosen,
  numberIn,
  numberText,
  readNumber,
  toggleChosen,
  unreadableNumbers,
  withUnreadable,
} from 'formtrail-session/inputs';
import { sentences } from 'formtrail-session/sentences';
import { listReader } from '../../../src/forms/option-list.js';

const fieldWith = (values: readonly string[]) =>
  ({
    field_type: { component: 'checkbox-input' },
    options: values.map((value) => ({ value, label: `Label of ${value}` })),
  }) as unknown as Field;

describe('a list of chosen options', () => {
  const option = fc.stringMatching(/^[ab, ]{1,4}$/);
  const options = fc.uniqueArray(option, { minLength: 1, maxLength: 5 });

  it('is read as the service reads it', () => {
    fc.assert(
      fc.property(options, fc.stringMatching(/^[abc, ]{0,12}$/), fc.array(fc.nat()), (values, any, picks) => {
        const joined = picks.map((pick) => values[pick % values.length]).join(',');
        for (const text of [any, joined]) {
          const expected = listReader(values)(text);
          const chosen = chosenIn(text, fieldWith(values));
          if (Array.isArray(expected)) expect(chosen).toEqual(expected);
          // The service takes any reading of an ambiguous list.
          else if (expected === 'several') expect(values).toEqual(expect.arrayContaining(chosen));
          // A blank part is no option, but no answer either.
          else if (text.split(',').every((part) => part.trim() !== ''))
            expect(values).not.toEqual(expect.arrayContaining(chosen));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is written so that the service reads the same options, in the order of the form', () => {
    fc.assert(
      fc.property(options, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (values, ticks) => {
        const chosen = values.filter((_, index) => ticks[index]);
        const text = joinChosen([...chosen].reverse(), fieldWith(values));
        const read = listReader(values)(text);
        if (chosen.length > 0 && read !== 'several') expect(read).toEqual(chosen);
        expect(chosen.length > 0 || text === '').toBe(true);
      }),
    );
  });

  it.each([
    ['a comma in an option', ['Post', 'Phone, text or fax'], 'Post,Phone, text or fax'],
    ['white space at the ends of options', [' Person', 'Home '], ' Person,Home '],
    ['names of Object.prototype', ['__proto__', 'constructor'], '__proto__,constructor'],
  ])('may have %s', (_, values, text) => {
    const field = fieldWith(values);
    expect(chosenIn(text, field)).toEqual(values);
    expect(joinChosen(chosenIn(text, field), field)).toBe(text);
    expect(answerText(field, text, undefined, { text: {} as never, dateText: String })).toBe(
      values.map((value) => `Label of ${value}`).join(', '),
    );
    expect(answerText(field, text, undefined, { text: { separator: '، ' } as never, dateText: String })).toBe(
      values.map((value) => `Label of ${value}`).join('، '),
    );
  });

  it('keeps what is no option, but does not write it again', () => {
    const field = fieldWith(['a', 'b, c']);
    expect(chosenIn('gone, b, c ,,a', field)).toEqual(['gone', 'b, c', 'a']);
    expect(joinChosen(['gone', 'a'], field)).toBe('a');
    expect(chosenIn('', field)).toEqual([]);
  });

  it.each([
    [[], 'a', ['a']],
    [['a', 'gone'], 'b', ['a', 'gone', 'b']],
    [['a', 'b'], 'a', ['b']],
    [['a', 'gone'], 'none', ['none']],
    [['none'], 'unknown', ['unknown']],
    [['none', 'a'], 'b', ['a', 'b']],
    [['none', 'a'], 'none', ['a']],
  ])('%j has %j ticked or unticked, and options that exclude others never beside them (J12)', (...given) => {
    const [chosen, toggled, expected] = given;
    const options = ['a', 'b', 'none', 'unknown'].map((value) => ({
      ...{ value, label: value, order: 0, places: null },
      is_exclusive: value === 'none' || value === 'unknown',
    }));
    expect(toggleChosen(chosen, toggled, { options })).toEqual(expected);
  });

  it('takes time proportional to its length', () => {
    expect(chosenIn(`${'a,'.repeat(2 ** 18)}a`, fieldWith(['a']))).toHaveLength(2 ** 18 + 1);
  });
});

describe('a date input', () => {
  it.each([
    ['', true],
    ['2026-02-28', true],
    ['9999-12-31', true],
    ['1000-01-01', true],
    // A browser takes a year of two digits for one of the first century.
    ['0024-06-30', false],
    ['2026-02-30', false],
    ['tomorrow', false],
  ])('can show "%s": %s', (value, isShown) => {
    expect(isShownAsDate(value)).toBe(isShown);
  });

  it('that shows no date gets a mistake in the snapshot, also in an entry', () => {
    const question = (key: string) => ({ kind: 'question', key, mistake: undefined }) as Question;
    const blocks = [
      question('start'),
      { kind: 'group', key: 'group:child', entries: [{ id: 7, blocks: [question('born.7')] }] },
      question('end'),
    ];
    const step = { position: 2, blocks };
    const steps = [{ position: 1, blocks: [] }, step];
    const shown = { steps, step, mistakes: [], saving: { kind: 'saved' } } as unknown as ShownDraft;
    expect(withUnreadable(shown, new Set())).toBe(shown);
    const marked = withUnreadable(shown, new Set(['end', 'born.7']));
    expect(marked.mistakes.map(({ key, position, mistake }) => [key, position, mistake.code])).toEqual([
      ['born.7', 2, 'not_a_date'],
      ['end', 2, 'not_a_date'],
    ]);
    expect(marked.step).toEqual(marked.steps[1]);
    expect(marked.step?.blocks[2]).toMatchObject({ key: 'end', mistake: { field: 'end' } });
    expect(marked.step?.blocks[0]).toMatchObject({ mistake: undefined });
    expect(marked.saving).toEqual({ kind: 'incomplete' });
    expect(shown.mistakes).toEqual([]);
  });
});

describe('a number input', () => {
  it.each<readonly [string, string | undefined, string]>([
    ['12,5', 'de', '12.5'],
    ['-0,50', 'de-CH', '-0,50'],
    ['-0,50', 'fr', '-0.50'],
    ['12,', 'de-AT', '12.'],
    ['12,5', 'en', '12,5'],
    ['12,5', undefined, '12,5'],
    ['12.5', 'de', '12.5'],
    // Digits are kept, although no JavaScript number has so many.
    ['12345678901234567890,10', 'de', '12345678901234567890.10'],
    // Not guessed.
    ...['1.234,5', '1,234.5', '1,234,567', '1 234,5', 'a,b'].map((typed) => [typed, 'de', typed] as const),
  ])('that shows "%s" on a page in %s has the value "%s"', (typed, language, value) => {
    expect(readNumber(typed, language)).toBe(value);
  });

  it('shows what was typed, and otherwise the decimal sign of the language', () => {
    const typed = (value: string) => ({ value }) as Parameters<typeof numberIn>[0];
    expect(numberIn(undefined, '12.50', 'de')).toBe('12,50');
    expect(numberIn(typed('12.50'), '12.50', 'de')).toBe('12.50');
    expect(numberIn(typed('12,5'), '12.5', 'de')).toBe('12,5');
    expect(numberIn(typed('12,5'), '13.5', 'de')).toBe('13,5');
    expect(numberIn(typed('12,5'), '13.5', 'en')).toBe('13.5');
    expect(numberText('1.234,5', 'de')).toBe('1.234,5');
    const field = { field_type: { component: 'number-input' }, options: [] } as unknown as Field;
    const words = { text: {} as never, dateText: String };
    expect(answerText(field, '12.5', undefined, { ...words, locale: 'de' })).toBe('12,5');
    expect(answerText(field, '12.5', undefined, words)).toBe('12.5');
  });

  it.each([
    ['١٢٫٥', 'ar', '12.5'],
    ['-۹۰', 'fa', '-90'],
    ['٣ب', 'ar', '3ب'],
  ])('may have the digits of other keyboards: %s in %s is %s', (text, language, value) => {
    expect(readNumber(text, language)).toBe(value);
    expect(numberIn({ value: text } as Parameters<typeof numberIn>[0], value, language)).toBe(text);
  });

  it.each([
    ['1.234,5', 'en', '1234.5'],
    ['-1,234,567.80', 'en', '-1234567.80'],
    ['1.234,5', 'de', '1234,5'],
    ['1,234.5', 'de', '1234,5'],
  ])(
    'with signs between digits gets a mistake that says how to write it: %s in %s is %s',
    (value, language, example) => {
      const of = (key: string, component: string, answer: string) =>
        ({
          kind: 'question',
          key,
          field: { field_type: { component } },
          value: answer,
        }) as unknown as Question;
      const blocks = [
        of('amount', 'number-input', value),
        of('text', 'text-input', value),
        of('other', 'number-input', '1234.5'),
      ];
      const step = { position: 1, blocks };
      const shown = { steps: [step], step, mistakes: [], saving: { kind: 'saved' } } as unknown as ShownDraft;
      const keys = unreadableNumbers(shown);
      expect([...keys]).toEqual(['amount']);
      const [placed] = withUnreadable(shown, keys, language).mistakes;
      expect(placed?.mistake).toMatchObject({ field: 'amount', code: 'not_a_number', params: { example } });
      expect(sentences().mistake(placed!.mistake)).toBe(
        `Enter the number without a thousands separator: ${example}.`,
      );
      expect([...unreadableNumbers({ step: undefined })]).toEqual([]);
    },
  );

  it('is read in time proportional to its length', () => {
    const step = {
      blocks: ['1.', ',1', '.', '1'].map((part) => ({
        ...{ kind: 'question', key: part, field: { field_type: { component: 'number-input' } } },
        value: `${part.repeat(2 ** 18)},.x`,
      })),
    };
    expect([...unreadableNumbers({ step } as unknown as ShownDraft)]).toEqual([]);
  });
});
