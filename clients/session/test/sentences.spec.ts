import type { Field, Mistake, MistakeCode } from 'formtrail-client';
import { FormtrailError, NetworkError, RateLimitedError } from 'formtrail-client';
import {
  English,
  momentText,
  sentences,
  sizeText,
  typesText,
  waitText,
  withArticle,
} from 'formtrail-session/sentences';
import { allFieldErrors, allProblems } from '../../../src/server/catalogue.js';

const FIELD_ERRORS = allFieldErrors();
const PROBLEMS = allProblems();

const say = sentences();

const field = (label: string, component = 'text-input', overrides: Partial<Field> = {}) =>
  ({
    ...{ label, field_type: { name: 'text', component } },
    ...{ code: 'x', entity: null, options: [], rules: [], ...overrides },
  }) as unknown as Field;

const mistake = (code: MistakeCode, params: Mistake['params'] = {}, detail = 'The x is wrong.'): Mistake => ({
  ...{ field: 'x', code, params, detail },
});

const problem = (code: unknown, status = 422) =>
  new FormtrailError(status, {
    ...{ code: code as FormtrailError['code'], message: 'From the service.' },
    ...{ requestId: undefined, errors: [], retryAfter: 1 },
  });

/** Plain sentences, without parts of the program. */
const SENTENCES = /^(?:[A-Z][^_{}]*[.?] ?)+$/;

describe('the sentences of formtrail-session', () => {
  it.each(Object.entries(FIELD_ERRORS))('say in English what the field error %s means', (code, names) => {
    const values: Record<string, unknown> = { accept: 'image/*', allowed: ['a', 'b'] };
    const params = Object.fromEntries(names.map((name: string) => [name, values[name] ?? 3]));
    const sentence = say.mistake(mistake(code as MistakeCode, params), { field: field('First name') });
    expect(sentence).toMatch(SENTENCES);
    expect(sentence).not.toMatch(/undefined|NaN|object|The x is wrong/);
  });

  it.each([
    [1, 'in 1 second'],
    [90, 'in 90 seconds'],
    [91, 'in 2 minutes'],
    [1_980, 'in 33 minutes'],
    [1_981, 'in 34 minutes'],
    [5_400, 'in 90 minutes'],
    [5_401, 'in 2 hours'],
    [86_400, 'in 24 hours'],
  ])('say how long a rate limit lasts: %i seconds are "%s"', (retryAfter, wait) => {
    const parts = { message: 'From the service.', requestId: undefined, errors: [], retryAfter };
    for (const code of ['too_many_requests', undefined] as const)
      expect(say.problem(new RateLimitedError(429, { ...parts, code }))).toBe(
        `There were too many requests. Try again ${wait}.`,
      );
  });

  it('say when a form opens and closes, in the time zone of the person', () => {
    const at = new Date(2031, 0, 5, 14, 30).toISOString();
    expect(say.mistake(mistake('not_open_yet', { opens_at: at }))).toBe(
      'This form opens on 5 January 2031 at 14:30.',
    );
    expect(say.mistake(mistake('closed', { closes_at: at }))).toBe(
      'This form closed on 5 January 2031 at 14:30.',
    );
    expect(momentText(at, 'de')).toBe('5. Januar 2031 um 14:30');
  });

  it('name the option that has no places left', () => {
    const options = [{ value: 'a', label: '*Pottery*', order: 0, is_exclusive: false, places: 1 }];
    const full = mistake('option_full', { value: 'a' });
    expect(say.mistake(full, { field: field('Workshop', 'radio-input', { options }) })).toBe(
      'No places are left for “Pottery”. Choose another option.',
    );
    expect(say.mistake(full)).toBe('No places are left. Choose another option.');
  });

  it('say how long to wait in other languages', () => {
    expect(waitText(20, 'de')).toBe('20 Sekunden');
    expect(waitText(1_980, 'fr')).toBe('33 minutes');
  });

  it.each(Object.keys(PROBLEMS))('say in English what the problem %s means', (code) => {
    const sentence = say.problem(problem(code));
    expect(sentence).toMatch(SENTENCES);
    expect(sentence).not.toMatch(/undefined|From the service/);
  });

  it('have no sentence for a code that the service does not have', () => {
    // Some codes are both.
    const codes = new Set([...Object.keys(FIELD_ERRORS), ...Object.keys(PROBLEMS)]);
    expect(Object.keys(English).sort()).toEqual([...codes, 'connection_lost', 'page_at_fault'].sort());
  });

  it.each([
    ['First name', 'text-input', 'Enter your first name.'],
    ['Date of departure', 'date-input', 'Enter the date of departure.'],
    ['IBAN', 'text-input', 'Enter your IBAN.'],
    ['Department', 'select-input', 'Choose your department.'],
    ['Earliest start date', 'date-input', 'Enter a date.'],
    ['How many nights?', 'number-input', 'Enter a number.'],
    ['CV', 'file-input', 'Choose a file.'],
    ['Declaration', 'checkbox-input', 'Tick this to go on.'],
    ['Comments', 'textarea-input', 'Enter an answer.'],
  ])('ask for a missing answer with the label: %s', (label, component, sentence) => {
    expect(say.mistake(mistake('required'), { field: field(label, component) })).toBe(sentence);
  });

  it('name the thing of an entry, which need not belong to the user', () => {
    const ofChild = field('Name', 'text-input', { entity: 'child' });
    expect(say.mistake(mistake('required'), { field: ofChild })).toBe('Enter the name.');
  });

  it.each([
    ['image/*, application/pdf', 'big.pdf is not an image or a PDF.'],
    ['.pdf', 'big.pdf is not a PDF.'],
    ['.mp3, audio/*,text/csv', 'big.pdf is not an MP3, an audio file or a CSV.'],
    ['application/x-own', 'big.pdf is not a file of the type application/x-own.'],
    [
      '.docx,application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'big.pdf is not a DOCX.',
    ],
  ])('say what is wrong with the content of a file: not %s', (accept, sentence) => {
    const upload = { name: 'big.pdf' };
    expect(say.mistake(mistake('type_mismatch', { accept }), { field: field('CV'), upload })).toBe(sentence);
  });

  it('name the file, whether it is being uploaded or stored', () => {
    const tooLarge = mistake('too_large', { max: 2 * 2 ** 20, size: 3 * 2 ** 20 });
    expect(say.mistake(tooLarge, { upload: { name: 'long.pdf' } })).toBe(
      'long.pdf is too large. It may have at most 2 MB.',
    );
    const infected = mistake('file_infected');
    const found = (where: string) => `A virus was found in ${where}. Choose another file.`;
    expect(say.mistake(infected, { file: { name: 'cat.jpg' } })).toBe(found('cat.jpg'));
    expect(say.mistake(infected)).toBe(found('this file'));
    expect(say.labelled(infected, { field: field('Photo'), file: { name: 'Photo.png' } })).toBe(
      `Photo: ${found('Photo.png')}`,
    );
  });

  it('begin with the label in a list, unless the sentence names the question', () => {
    expect(say.labelled(mistake('required'), { field: field('First name') })).toBe('Enter your first name.');
    expect(say.labelled(mistake('not_a_date'), { field: field('Start') })).toBe(
      'Start: Enter a whole date that exists, with a year of four digits.',
    );
    expect(say.labelled(mistake('not_an_option'), { field: field('Which days?') })).toBe(
      'Which days? Choose one of the options.',
    );
    const entity = { name: 'guest', label: 'Guest' } as Parameters<typeof say.labelled>[1]['entity'];
    expect(say.labelled(mistake('too_few_records', { min: 2, count: 1 }), { entity })).toBe(
      'Guest: Add at least 2 entries. So far there is 1.',
    );
  });

  it('have labels without their markup', () => {
    const marked = field('*First* [name](https://a.example)');
    expect(say.mistake(mistake('required'), { field: marked })).toBe('Enter your first name.');
    expect(say.labelled(mistake('not_a_number'), { field: marked })).toBe(
      'First name: Enter a number in digits, such as 12.5.',
    );
  });

  it("prefer the sentence of the form's author", () => {
    const rules = [{ kind: 'pattern', value: '[A-Z]', message: 'Use capitals.' }] as Field['rules'];
    const subject = { field: field('Code', 'text-input', { rules }) };
    expect(say.mistake(mistake('pattern_mismatch', { pattern: '[A-Z]' }, 'Use capitals.'), subject)).toBe(
      'Use capitals.',
    );
    expect(say.mistake(mistake('required', {}, 'The x is required.'), subject)).toBe('Enter your code.');
  });

  it("prefer the author's sentence in the language of the submission, which the schema need not have", () => {
    const german = mistake(
      'pattern_mismatch',
      { pattern: '[A-Z]', authored: true },
      'Bitte in Großbuchstaben.',
    );
    expect(say.mistake(german, { field: field('Code') })).toBe('Bitte in Großbuchstaben.');
    expect(say.mistake(german)).toBe('Bitte in Großbuchstaben.');
    expect(say.labelled(german, { field: field('Code') })).toBe('Code: Bitte in Großbuchstaben.');
    // Only the service can say so.
    const other = mistake(
      'pattern_mismatch',
      { pattern: '[A-Z]', authored: 'true' },
      'Bitte in Großbuchstaben.',
    );
    expect(say.mistake(other)).toBe('Check the format of this answer.');
  });

  it('keep a label that is only the end or the start of a word in the sentence', () => {
    expect(say.labelled(mistake('required'), { field: field('A') })).toBe('A: Enter an answer.');
    expect(say.labelled(mistake('required'), { field: field('An') })).toBe('An: Enter an answer.');
  });

  it('show the description of the field if a pattern has no message', () => {
    const error = mistake('pattern_mismatch', { pattern: '[A-Z]{2}' });
    const described = { field: field('Code', 'text-input', { description: 'Two capitals, such as GB.' }) };
    expect(say.mistake(error, described)).toBe('Two capitals, such as GB.');
    expect(say.mistake(error, { field: field('Code') })).toBe('Check the format of this answer.');
    const marked = {
      field: field('Code', 'text-input', { description: 'See [the list](https://a.example).' }),
    };
    expect(say.mistake(error, marked)).toBe('See the list.');
  });

  it('can be replaced, all or some of them', () => {
    const German = sentences({
      ...English,
      required: (_params, subject) => `${subject.field?.label} fehlt.`,
      connection_lost: 'Die Verbindung ist unterbrochen.',
    });
    expect(German.labelled(mistake('required'), { field: field('Vorname') })).toBe('Vorname: Vorname fehlt.');
    expect(German.problem(new NetworkError(undefined))).toBe('Die Verbindung ist unterbrochen.');
  });

  it('use the sentence of the service for a code of a newer service', () => {
    const newer = 'too_new' as MistakeCode;
    expect(say.mistake(mistake(newer))).toBe('The x is wrong.');
    expect(say.mistake(mistake('toString' as MistakeCode))).toBe('The x is wrong.');
    expect(say.problem(problem('too_new'))).toBe('From the service.');
  });

  it('say who is at fault if an error has no code', () => {
    expect(say.problem(new NetworkError(undefined))).toBe('The connection was lost. Try again.');
    expect(say.problem(problem(undefined, 502))).toBe(
      'Something is wrong with the service. Try again in a minute.',
    );
    expect(say.problem(new TypeError('x is not a function'))).toMatch(/^Something is wrong with this page\./);
    expect(say.problem(undefined)).toMatch(/^Something is wrong with this page\./);
  });

  it.each([
    ['Expense', 'an expense'],
    ['Child', 'a child'],
    ['CV', 'a CV'],
    ['MRI scan', 'an MRI scan'],
    ['Hour of overtime', 'an hour of overtime'],
    ['University', 'a university'],
    ['Uncle', 'an uncle'],
    ['Utility bill', 'a utility bill'],
    ['User', 'a user'],
    ['Uninsured item', 'an uninsured item'],
    ['One-way ticket', 'a one-way ticket'],
    ['URL', 'a URL'],
    ['X-ray', 'an X-ray'],
    ['A4 page', 'an A4 page'],
    ['B12 dose', 'a B12 dose'],
    ['PhD', 'a PhD'],
    ['SIM card', 'a SIM card'],
    ['NATO member', 'a NATO member'],
    ['8-hour shift', 'an 8-hour shift'],
    ['18-month contract', 'an 18-month contract'],
    ['1-hour shift', 'a 1-hour shift'],
    ['Your child', 'your child'],
    ['A child', 'a child'],
    ['Another name', 'another name'],
    ['Previous address', 'a previous address'],
    ['Expenses', 'expenses'],
    ['Children', 'children'],
  ])('give a label its article: %s', (label, text) => {
    expect(withArticle(label)).toBe(text);
  });

  it('show sizes and types in short', () => {
    const sizes = [58, 1536, 25 * 2 ** 20].map((bytes) => sizeText(bytes, 'en'));
    expect(sizes).toEqual(['58 B', '1.5 kB', '25 MB']);
    expect(typesText('.pdf, image/*,.docx,text/plain')).toBe('PDF, images, DOCX, text files');
  });
});
