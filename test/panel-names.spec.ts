import fc from 'fast-check';
import {
  CODES,
  ENTITY_NAMES,
  OPTION_VALUES,
  proposedName,
  SLUGS,
} from '../examples/panel/src/components/names.js';

const NONE: ReadonlySet<string> = new Set();

describe('a name that the panel proposes', () => {
  it.each([
    ['First name', CODES, 'first_name'],
    ["Your line manager's e-mail address", CODES, 'your_line_managers_e_mail_address'],
    ['Größe in cm²', CODES, 'grosse_in_cm2'],
    ['Prénom', CODES, 'prenom'],
    ['Łódź', CODES, 'lodz'],
    ['  Costs (€)  ', CODES, 'costs'],
    ['Amount.1', CODES, 'amount_1'],
    ['Имя', CODES, 'field_1'],
    ['名前', OPTION_VALUES, 'option_1'],
    ['?', CODES, 'field_1'],
    ['2nd address', CODES, 'field_2nd_address'],
    ['2 nights', OPTION_VALUES, '2_nights'],
    ['Travel expenses 2027', SLUGS, 'travel-expenses-2027'],
    ['申請', SLUGS, 'form-1'],
    ['支出', ENTITY_NAMES, 'entity_1'],
  ])('for “%s” consists of its words', (label, naming, name) => {
    expect(proposedName(label, naming, NONE)).toBe(name);
  });

  it('gets the next number if it is taken', () => {
    expect(proposedName('Name', CODES, new Set(['name']))).toBe('name_2');
    expect(proposedName('Name', CODES, new Set(['name', 'name_2', 'name_4']))).toBe('name_3');
    expect(proposedName('Имя', CODES, new Set(['field_1', 'field_2']))).toBe('field_3');
  });

  it('is shortened at the end of a word', () => {
    const label = 'Which of these reasons best describes why you are asking us for this grant?';
    expect(proposedName(label, CODES, NONE)).toBe(
      'which_of_these_reasons_best_describes_why_you_are_asking_us',
    );
    expect(proposedName('a'.repeat(300), CODES, NONE)).toBe('a'.repeat(60));
  });

  it('is one that the database and definitions accept, for any label', () => {
    const label = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 }));
    fc.assert(
      fc.property(label, fc.array(label), (one, others) => {
        for (const naming of [CODES, SLUGS, ENTITY_NAMES, OPTION_VALUES]) {
          const taken = new Set<string>();
          for (const text of [one, ...others, one, one]) {
            const name = proposedName(text, naming, taken);
            // The stricter of both rules: a slug has hyphens, and a code may have anything but a dot and a number at its end.
            expect(name.replaceAll(naming.separator, '-')).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
            if (!naming.mayBeginWithDigit) expect(name).toMatch(/^[a-z]/);
            expect(name.length).toBeLessThanOrEqual(255);
            expect(taken).not.toContain(name);
            taken.add(name);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
