import { createHash } from 'node:crypto';
import type { ShownDraft } from 'formtrail-session';
import { problemsOn } from '../src/questions.js';
import { sha256 } from '../src/sha256.js';
import { wordsIn } from '../src/words.js';

describe('SHA-256 of the element', () => {
  it('is that of Node.js, for texts of every length around the size of a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => index * 31 + length);
      const expected = createHash('sha256').update(bytes).digest('hex');
      expect([length, Buffer.from(sha256(bytes)).toString('hex')]).toEqual([length, expected]);
    }
  });
});

describe('the texts of the element', () => {
  it.each([
    ['en_US', 'January 5, 2030'],
    ['en-GB', '5 January 2030'],
    ['de_AT', '5. Jänner 2030'],
    ['not a language', 'January 5, 2030'],
  ])('are those of the language "%s", even if a browser would reject it', (language, date) => {
    const words = wordsIn(language, { de: { next: 'Weiter' } });
    expect(words.dateText('2030-01-05')).toBe(date);
    expect(words.size(100_000)).toContain('98');
    expect(words.text.next).toBe(date.includes('Jänner') ? 'Weiter' : 'Next');
  });

  it('say which field has an error that no step shows, in the language of the page', () => {
    const words = wordsIn('de', { de: { errors: { required: 'Fehlt.', too_few_records: 'Zu wenige.' } } });
    const mistakeIn = (field: string, code: string) => ({
      ...{ key: undefined, position: undefined },
      mistake: { field, code, params: {}, detail: 'English.' },
    });
    const shown = {
      form: {
        steps: [{ fields: [{ code: 'name', label: 'Name', rules: [] }] }],
        entities: [{ name: 'child', label: 'Kind' }],
      },
      mistakes: [
        mistakeIn('name.7', 'required'),
        mistakeIn('child', 'too_few_records'),
        mistakeIn('other', 'newer'),
      ],
    };
    const texts = problemsOn(shown as unknown as ShownDraft, words).map(({ text }) => text);
    expect(texts).toEqual(['Name: Fehlt.', 'Kind: Zu wenige.', 'English.']);
  });
});
