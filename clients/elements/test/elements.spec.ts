import { createHash } from 'node:crypto';
import type { ShownDraft } from 'formtrail-session';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { texts as Arabic } from '../src/languages/ar.js';
import { texts as German } from '../src/languages/de.js';
import { texts as Spanish } from '../src/languages/es.js';
import { texts as French } from '../src/languages/fr.js';
import { DEVICE_ENGLISH } from '../src/parts/device-english.js';
import { FILES_ENGLISH } from '../src/parts/files-english.js';
import { FORM_CHANGE_ENGLISH } from '../src/parts/form-change-english.js';
import { LIST_ENGLISH } from '../src/parts/list-english.js';
import { problemsOn } from '../src/questions.js';
import { ENGLISH, type Sentences } from '../src/sentences.js';
import { sha256 } from '../src/sha256.js';
import { type Translation, wordsIn } from '../src/words.js';

const ALL_ENGLISH: Sentences = {
  ...{ ...ENGLISH, ...LIST_ENGLISH, ...FILES_ENGLISH },
  ...{ ...DEVICE_ENGLISH, ...FORM_CHANGE_ENGLISH },
};
const SOURCES = path.resolve(__dirname, '../src');

const textOf = (text: string | ((...given: never[]) => string), given: readonly unknown[]): string =>
  typeof text === 'function' ? text(...(given as never[])) : text;

/** Arguments of the texts that are functions. */
const GIVEN = {
  ...{ placesLeft: [2], stepOf: [2, 3], allSteps: [3], waiting: [90], atLeast: [2], moreQuestions: [2] },
  ...{ charactersLeft: [2], lastChanged: ['noon', 'Home'], hasDraft: ['noon'], confirmDeletion: ['Home'] },
  ...{
    add: ['Receipt'],
    added: ['Receipt 2'],
    removed: ['Receipt 2'],
    removeEntry: ['Receipt 2'],
    confirmRemoval: ['Receipt 2'],
  },
  ...{
    uploadingFile: ['a.pdf'],
    uploaded: ['a.pdf'],
    leftOut: ['a.pdf, b.pdf'],
    fileTypes: ['video/*, audio/*'],
  },
  ...{ upTo: ['2 MB'], otherDeviceText: ['1 May'], unticked: ['Fever'] },
} as Partial<Record<keyof Sentences, readonly unknown[]>>;

/** Texts that may be equal in English, French and Spanish. */
const ALIKE = ['required', 'no', 'separator'];

describe.each<[name: string, tag: string, texts: Translation]>([
  ['Arabic', 'ar', Arabic],
  ['French', 'fr', French],
  ['German', 'de', German],
  ['Spanish', 'es', Spanish],
])('the %s texts of the element', (_name, tag, { errors: _errors, ...texts }) => {
  it('are there for every text, and for no other', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(ALL_ENGLISH).sort());
  });

  it.each(Object.keys(ALL_ENGLISH) as (keyof Sentences)[])('have words of their own: %s', (key) => {
    const given = GIVEN[key] ?? [];
    const [text, english] = [textOf(texts[key], given), textOf(ALL_ENGLISH[key], given)];
    if (ALIKE.includes(key)) return;
    expect(text).not.toBe(english);
    expect(text).not.toMatch(/undefined|NaN|\[object|\$\{|["']|\.\.\.|#/);
    expect(typeof texts[key]).toBe(typeof ALL_ENGLISH[key]);
    // A sentence of English is a sentence here.
    if (/[a-z]\.$/.test(english)) expect(text).toMatch(/[.؟?]$/);
    for (const one of given.filter((name) => typeof name === 'string' && !name.includes('/')))
      expect(text).toContain(one);
    const own = text.replaceAll(/Receipt(?: 2)?|Home|noon|Fever|[ab]\.pdf(, )?|2 MB|1 May|\p{Cf}/gu, '');
    if (tag === 'ar') expect(own).not.toMatch(/[A-Za-z,;?]/);
    if (tag === 'fr') expect(text).not.toMatch(/[^\u202f][:;?!»]|«[^\u202f]/);
  });

  it('have plural forms', () => {
    const functions = [texts.placesLeft, texts.moreQuestions, texts.allSteps, texts.charactersLeft];
    expect(texts.charactersLeft(-3)).toMatch(/3/);
    expect(texts.charactersLeft(-3)).not.toBe(texts.charactersLeft(3));
    for (const say of functions) {
      const said = [1, 2, 3, 11, 100].map((count) => say(count));
      expect(said.join()).not.toMatch(/undefined|NaN|#|--/);
      expect(new Set(said).size).toBe(5);
    }
  });

  it('say what the host does not say, in the direction of the language', () => {
    const words = wordsIn(
      tag,
      { [tag]: { next: '>' }, en: { next: 'On', back: 'Off' } },
      { ...texts, errors: _errors },
    );
    expect([words.text.next, words.text.back]).toEqual(['>', texts.back]);
    expect(words.direction).toBe(tag === 'ar' ? 'rtl' : 'ltr');
    expect(words.problem(undefined)).toBe(_errors.page_at_fault);
  });
});

describe('the direction of the element', () => {
  it.each([
    ['ar', 'rtl'],
    ['fa-IR', 'rtl'],
    ['he', 'rtl'],
    ['ur', 'rtl'],
    ['pa-Arab', 'rtl'],
    ['pa', 'ltr'],
    ['az', 'ltr'],
    ['ja', 'ltr'],
    ['', 'ltr'],
    ['not a language', 'ltr'],
  ])('follows the script of the language "%s": %s', (tag, direction) => {
    expect(wordsIn(tag, {}).direction).toBe(direction);
  });

  it('is in no style: only logical properties', () => {
    const files = readdirSync(SOURCES, { recursive: true }).map(String);
    const styles = files.filter((name) => name.endsWith('.css'));
    expect(styles.length).toBeGreaterThan(2);
    for (const name of styles) {
      const css = readFileSync(path.join(SOURCES, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
      // Backgrounds have no logical positions, so each has one for :dir(rtl).
      const physical = css.match(/^\s*(?:[a-z-]*-)?(?:left|right)(?:-[a-z-]+)?\s*:|:\s*(?:left|right)\s*;/gm);
      expect([name, physical]).toEqual([name, null]);
      const positions = css.match(/^\s*background-position:/gm) ?? [];
      const mirrored = css.match(/:dir\(rtl\) \{\s*background-position:/g) ?? [];
      expect([name, positions.length]).toEqual([name, 2 * mirrored.length]);
    }
  });
});

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
