import { OPERATORS } from '../../conditions/engine/index.js';
import { FileChecks, parseFiles } from './check-files.js';
import { checkSize, type FormSize, formSizeOf } from './check-size.js';
import type { DefinedField } from './form-definition.js';

const COMPONENTS = [
  ['text', 'text-input'],
  ['select', 'select-input'],
] as const;

interface Known {
  readonly codes?: string[];
  readonly patterns?: string[];
  readonly options?: string[];
  readonly entityNames?: string[];
  readonly timeZone?: string;
  readonly locales?: string[];
  readonly size?: FormSize;
}

/** The last parameter has names and values of the stored form. */
function check(source: unknown, known: Known = {}) {
  const { codes, patterns, options, entityNames, timeZone, locales, size } = known;
  const [file] = parseFiles([{ name: 'form.json', text: JSON.stringify(source) }]);
  const checks = new FileChecks();
  const names = {
    ...{ components: new Map(COMPONENTS), codes: new Set(codes), patterns: new Set(patterns) },
    ...{ options: new Set(options), entityNames: new Set(entityNames), timeZone },
    ...{ locales: new Set(locales), size },
  };
  const definition = checks.check(file!, names);
  return { definition, mistakes: checks.mistakes.map(({ path, message }) => [path, message]) };
}

const field = (changes: object = {}) => ({
  ...{ code: 'name', label: 'Name', field_type: { name: 'text' } },
  ...changes,
});
const step = (changes: object = {}) => ({ step_number: 1, title: 'You', fields: [field()], ...changes });
const form = (changes: object = {}) => ({ name: 'Form', slug: 'form', steps: [step()], ...changes });
const withField = (changes: object) => form({ steps: [step({ fields: [field(changes)] })] });
const withFields = (...fields: object[]) => form({ steps: [step({ fields })] });

describe('a definition', () => {
  it('may omit properties that have a default', () => {
    const source = withField({
      options: [
        { label: 'A', value: 'a' },
        { label: 'B', value: 'b' },
      ],
      conditions: [{ depends_on_field_code: 'name', operator: 'empty', action: 'hide' }],
      rules: [{ kind: 'min_length', value: '2' }],
    });
    const completeField = {
      ...field({ field_type: { name: 'text', component: 'text-input' } }),
      ...{ placeholder: null, description: null, default_value: null, order: 1 },
      ...{ is_required: false, is_repeatable: false },
      options: [
        { label: 'A', value: 'a', order: 1 },
        { label: 'B', value: 'b', order: 2 },
      ],
      conditions: [{ depends_on_field_code: 'name', operator: 'empty', value: '', action: 'hide' }],
      rules: [{ kind: 'min_length', value: '2', message: null }],
    };
    const completeStep = { description: '', is_visible: true, meta: null, conditions: [] };
    expect(check(source)).toEqual({
      mistakes: [],
      definition: {
        ...form({ description: '', is_active: true, completion: null, access: 'token', entities: [] }),
        steps: [{ ...step({ fields: [completeField] }), ...completeStep }],
      },
    });
  });

  it('may be a complete schema response, whose ids and version are ignored (F11)', () => {
    const condition = { depends_on_field_code: 'name', operator: 'equals', value: 'x', action: 'show' };
    const withId = { ...condition, depends_on_field_id: 7 };
    const time = '2026-01-01T00:00:00.000000Z';
    const source = form({
      ...{
        id: 3,
        uuid: 'E41890BD-6C35-4A72-A5F9-2D7B83C16F0A',
        version: 12,
        created_at: time,
        updated_at: time,
      },
      steps: [step({ id: 5, fields: [field({ id: 7, conditions: [withId] })] })],
    });
    const { mistakes, definition } = check(source);
    expect(mistakes).toEqual([]);
    expect(definition?.uuid).toBe('e41890bd-6c35-4a72-a5f9-2d7b83c16f0a');
    expect(definition?.steps[0]?.fields[0]?.conditions).toEqual([condition]);
  });

  it('may have conditions of steps and entities, with the same defaults as those of fields (C10)', () => {
    const condition = { depends_on_field_code: 'name', operator: 'empty', action: 'hide' };
    const grouped = { ...condition, value: 'x', action: 'show', group: 2, depends_on_field_id: 7 };
    const source = form({
      entities: [
        { name: 'trip', label: 'Trip', conditions: [condition] },
        { name: 'person', label: 'Person' },
      ],
      steps: [
        step(),
        step({ step_number: 2, fields: [], conditions: [grouped, { ...condition, group: null }] }),
      ],
    });
    const { mistakes, definition } = check(source);
    expect(mistakes).toEqual([]);
    const complete = { ...condition, value: '' };
    expect(definition?.entities.map(({ conditions }) => conditions)).toEqual([[complete], []]);
    expect(definition?.steps.map(({ conditions }) => conditions)).toEqual([
      [],
      [{ ...condition, value: 'x', action: 'show', group: 2 }, complete],
    ]);
  });

  it.each(['entities', 'steps'])('must not have bad conditions of %s (C10)', (owners) => {
    const condition = { depends_on_field_code: 'name', operator: 'equals', value: 'x', action: 'show' };
    const mistakes = (conditions: unknown) => {
      const owner = owners === 'steps' ? step({ conditions }) : { name: 'trip', label: 'Trip', conditions };
      const found = check(form({ [owners]: [owner] })).mistakes;
      return found.map(([path, message]) => `${path}: ${message}`.replace(`${owners}[0].conditions`, ''));
    };
    expect(mistakes([condition])).toEqual([]);
    expect(mistakes([condition, { ...condition, action: 'require' }])).toEqual([
      '[1].action: must be one of show, hide, but is "require"',
    ]);
    expect(mistakes([{ ...condition, depends_on_field_code: 'nobody' }])).toEqual([
      '[0].depends_on_field_code: must be the code of a field of this form, but is "nobody"',
    ]);
    expect(mistakes([{ operator: 'like', action: 'hide', field_id: 7 }])).toEqual([
      expect.stringMatching(/^\[0\].depends_on_field_code: is missing/),
      expect.stringMatching(/^\[0\].operator: must be one of equals, .* but is "like"$/),
      expect.stringMatching(/^\[0\].field_id: is not a known key/),
    ]);
  });

  it('may add a field type, if it names the component', () => {
    const scale = { name: 'scale', component: 'scale-input' };
    const source = withFields(
      field({ field_type: scale }),
      field({ code: 'b', field_type: { name: 'scale' } }),
    );
    const { mistakes, definition } = check(source);
    expect(mistakes).toEqual([]);
    expect(definition?.steps[0]?.fields.map(({ field_type }) => field_type)).toEqual([scale, scale]);
  });

  const option = (value: string) => ({ options: [{ label: 'A', value }] });
  const TOO_LONG = 'é'.repeat(1_301);
  it.each<[what: string, changes: object, Known, path: string, message: string]>([
    [
      'a code that is not snake_case',
      { code: 'First Name' },
      { codes: ['First Name'] },
      'code',
      expect.stringMatching(/^must be snake_case: .* but is "First Name"$/),
    ],
    [
      'a pattern that does not compile (J5)',
      { rules: [{ kind: 'pattern', value: '(' }] },
      { patterns: ['('] },
      'rules[0].value',
      'must be an RE2 regular expression, but "(" is not: missing closing ): `(`',
    ],
    [
      'an option value that is too long for a new option',
      option(TOO_LONG),
      { options: [TOO_LONG] },
      'options[0].value',
      'must have at most 2600 bytes in UTF-8, but has 2602',
    ],
  ])('may keep %s only if the stored form has it', (_what, changes, known, path, message) => {
    expect(check(withField(changes), known).mistakes).toEqual([]);
    expect(check(withField(changes)).mistakes).toEqual([[`steps[0].fields[0].${path}`, message]]);
  });

  it('may have an option value of 2,600 bytes', () => {
    expect(check(withField(option(TOO_LONG.slice(1)))).mistakes).toEqual([]);
  });

  it.each([
    ...[{ access: 'public' }, { access: 'token' }, { proof_of_work: 1_000 }, { proof_of_work: 5_000_000 }],
    ...[{ completion: 'strict' }, { completion: 'lenient' }, { completion: null }],
  ])('may have the property %j (P1, P7, S13)', (valid) => {
    expect(check(form(valid))).toMatchObject({ mistakes: [], definition: valid });
  });

  it('may name a time zone that Node.js knows or that the stored form has (J2)', () => {
    for (const time_zone of ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+12', 'UTC'])
      expect(check(form({ time_zone }))).toMatchObject({ mistakes: [], definition: { time_zone } });
    expect(check(form({ time_zone: null }))).toEqual(check(form()));
    const expected = 'must be a name of the IANA time zone database, such as Europe/Berlin';
    for (const time_zone of ['Europe/Atlantis', 'Berlin', '+01:00', '', 'Europe/Berlin\n', 'Europe//Berlin'])
      expect(check(form({ time_zone })).mistakes).toEqual([
        ['time_zone', `${expected}, but is ${JSON.stringify(time_zone)}`],
      ]);
    expect(check(form({ time_zone: 3 })).mistakes).toEqual([['time_zone', `${expected}, but is 3`]]);
    const known = { timeZone: 'Europe/Atlantis' };
    expect(check(form({ time_zone: 'Europe/Atlantis' }), known).mistakes).toEqual([]);
    expect(check(form({ time_zone: 'Europe/Berlni' }), known).mistakes).toHaveLength(1);
  });

  it('must not give an entity a name that can be a key of field errors, unless the stored form does (R3, J4)', () => {
    const source = (name: string) =>
      form({
        entities: [
          { name: 'other', label: 'Other' },
          { name, label: 'Trip' },
        ],
        steps: [step({ fields: [field({ code: 'trip' }), field({ code: 'amount' })] })],
      });
    const mistakes = (name: string, known: Known = {}) => check(source(name), known).mistakes;
    const isCode = [
      'entities[1].name',
      'must differ from all field codes, but steps[0].fields[0].code is "trip" too',
    ];

    expect(mistakes('trip')).toEqual([isCode]);
    expect(mistakes('trip', { codes: ['trip'] })).toEqual([isCode]);
    expect(mistakes('trip', { entityNames: ['trip'] })).toEqual([isCode]);
    expect(mistakes('trip', { codes: ['trip'], entityNames: ['trip'] })).toEqual([]);
    for (const name of ['Trip', 'trips', 'trip.a', 'trip.', '17']) expect(mistakes(name)).toEqual([]);
    for (const name of ['amount.17', 'no.0'])
      expect(mistakes(name)).toEqual([
        ['entities[1].name', `must not end in a dot and a number, but is "${name}"`],
      ]);
    expect(mistakes('amount.17', { entityNames: ['amount.17'] })).toEqual([]);
  });

  const NAME = 'must be a text of 1 to 255 characters';
  const NOT_STORED = 'which cannot be stored';
  const duplicate = (first: string, value: string) =>
    `must be unique, but is a duplicate of ${first} ("${value}")`;
  const steps = (changes: object) => ({ steps: [step(changes)] });
  it.each<[changes: object, path: string, message: string]>([
    [{ name: undefined }, 'name', `is missing; it ${NAME}`],
    [{ name: '' }, 'name', `${NAME}, but has 0`],
    [{ name: '😀'.repeat(256) }, 'name', `${NAME}, but has 256`],
    [{ name: 5 }, 'name', `${NAME}, but is 5`],
    [
      { slug: 'Job--form' },
      'slug',
      'must be lower-case letters and digits with single hyphens, up to 255, but is "Job--form"',
    ],
    [{ uuid: '1234' }, 'uuid', 'must be a UUID, but is "1234"'],
    [{ description: null }, 'description', 'must be a text, but is null'],
    [{ description: 'a\u0000' }, 'description', `contains the character U+0000, ${NOT_STORED}`],
    [{ is_active: 'yes' }, 'is_active', 'must be true or false, but is "yes"'],
    [{ completion: 'none' }, 'completion', 'must be one of strict, lenient or null, but is "none"'],
    [{ access: null }, 'access', 'must be one of token, public, but is null'],
    [{ access: 'all' }, 'access', 'must be one of token, public, but is "all"'],
    ...[999, 5_000_001, 1_000.5].map((proof_of_work): [object, string, string] => [
      { proof_of_work },
      'proof_of_work',
      `must be a whole number from 1000 to 5000000, but is ${proof_of_work}`,
    ]),
    [{ steps: undefined }, 'steps', 'is missing; it must be an array'],
    [{ steps: {} }, 'steps', 'must be an array, but is an object'],
    [{ steps: ['x'] }, 'steps[0]', 'must be an object, but is "x"'],
    [steps({ meta: [] }), 'steps[0].meta', 'must be an object or null, but is an array'],
    [
      steps({ meta: { a: [{ '\u0000': 1 }] } }),
      'steps[0].meta.a[0]["\\u0000"]',
      `contains the character U+0000, ${NOT_STORED}`,
    ],
    [
      steps({ step_number: 0 }),
      'steps[0].step_number',
      'must be a whole number from 1 to 2147483647, but is 0',
    ],
    [
      { steps: [step(), step({ fields: [] })] },
      'steps[1].step_number',
      duplicate('steps[0].step_number', '1'),
    ],
    [
      steps({ title: 'x'.repeat(256) }),
      'steps[0].title',
      'must be a text of at most 255 characters, but has 256',
    ],
    [
      { steps: [step(), step({ step_number: 2 })] },
      'steps[1].fields[0].code',
      duplicate('steps[0].fields[0].code', 'name'),
    ],
    [
      { entities: ['A', 'B'].map((label) => ({ name: 'a', label })) },
      'entities[1].name',
      duplicate('entities[0].name', 'a'),
    ],
    [{ 'a b': 1 }, '["a b"]', expect.stringContaining('is not a known key')],
  ])('with %j is rejected with the path of the mistake (F5, P1, P7, S13, V10)', (changes, path, message) => {
    expect(check(form(changes)).mistakes).toEqual([[path, message]]);
  });

  it('must be an object', () => {
    expect(check([]).mistakes).toEqual([['', 'must be an object, but is an array']]);
    expect(check(null).mistakes).toEqual([['', 'must be an object, but is null']]);
  });

  const condition = { depends_on_field_code: 'name', operator: 'empty', action: 'show' };
  const rule = (kind: string, value: unknown) => ({ rules: [{ kind, value }] });
  const NUMBER = 'must be a decimal number';
  const LENGTH = 'must be a whole number from 1 to 65535, as a text';
  const DAY =
    'must be a date that exists, as YYYY-MM-DD, or today, or a distance from it, as in today+30d, today+6m or today-18y';
  const WHOLE_NUMBER = 'must be a whole number from -2147483648 to 2147483647';
  const TYPE = 'must be an object such as {"name": "text"}';
  it.each<[changes: object, path: string, message: string]>([
    [{ label: '\ud800' }, 'label', `contains a lone surrogate, half of a character, ${NOT_STORED}`],
    [{ order: 2_147_483_648 }, 'order', `${WHOLE_NUMBER}, but is 2147483648`],
    [{ order: 1.5 }, 'order', `${WHOLE_NUMBER}, but is 1.5`],
    [
      { code: 'firstName' },
      'code',
      'must be snake_case: a lower-case letter, then such letters, digits and underscores, up to 255, but is "firstName"',
    ],
    [{ field_type: undefined }, 'field_type', `is missing; it ${TYPE}; the field types are text, select`],
    [{ field_type: 'text' }, 'field_type', `${TYPE}, but is "text"; the field types are text, select`],
    [{ field_type: {} }, 'field_type.name', 'is missing; it must be one of text, select'],
    [
      { field_type: { name: 'signature' } },
      'field_type.name',
      'must be one of text, select, but is "signature"; a new field type needs a component',
    ],
    [
      { field_type: { name: 'text', component: 'textarea-input' } },
      'field_type.component',
      'must be "text-input" for the field type "text", but is "textarea-input"',
    ],
    [
      { options: ['A', 'B'].map((label) => ({ label, value: '' })) },
      'options[1].value',
      duplicate('steps[0].fields[0].options[0].value', ''),
    ],
    [{ options: [{ label: 'A', value: 1 }] }, 'options[0].value', 'must be a text, but is 1'],
    [
      { conditions: [{ ...condition, operator: 'equal' }] },
      'conditions[0].operator',
      `must be one of ${OPERATORS.join(', ')}, but is "equal"`,
    ],
    [
      { conditions: [{ ...condition, action: 'display' }] },
      'conditions[0].action',
      'must be one of show, hide, require, but is "display"',
    ],
    [
      { conditions: [{ ...condition, depends_on_field_code: 'nome' }] },
      'conditions[0].depends_on_field_code',
      'must be the code of a field of this form, but is "nome"',
    ],
    [{ entity: 'expense' }, 'entity', `must be the name of one of the form's entities, but is "expense"`],
    [{ entity: 1 }, 'entity', `${NAME}, but is 1`],
    [
      { is_requird: true },
      'is_requird',
      expect.stringMatching(/^is not a known key; the keys here are code, label, .*, conditions, rules$/),
    ],
    [rule('min', '1,5'), 'rules[0].value', `${NUMBER}, but is "1,5"`],
    [rule('max', ''), 'rules[0].value', expect.stringContaining('must be ')],
    [rule('max', 1), 'rules[0].value', expect.stringMatching(/^must be /)],
    [rule('max', undefined), 'rules[0].value', expect.stringMatching(/^is missing; it must be /)],
    [rule('min_length', '0'), 'rules[0].value', `${LENGTH}, but is "0"`],
    [rule('max_length', '65536'), 'rules[0].value', `${LENGTH}, but is "65536"`],
    [rule('min_date', '2026-02-29'), 'rules[0].value', `${DAY}, but is "2026-02-29"`],
    [rule('max_date', 'today+30'), 'rules[0].value', `${DAY}, but is "today+30"`],
    [
      rule('pattern', 'a'.repeat(501)),
      'rules[0].value',
      'must be a text of 1 to 500 characters, but has 501',
    ],
    [rule('maximum', '1'), 'rules[0].kind', expect.stringMatching(/^must be one of min, max, /)],
    [
      { rules: ['1', '2'].map((value) => ({ kind: 'max', value })) },
      'rules[1].kind',
      duplicate('steps[0].fields[0].rules[0].kind', 'max'),
    ],
    [
      { rules: [{ kind: 'max', value: '1', message: '' }] },
      'rules[0].message',
      expect.stringMatching(/but has 0$/),
    ],
    [{ rules: ['max'] }, 'rules[0]', 'must be an object, but is "max"'],
    [{ rules: {} }, 'rules', 'must be an array, but is an object'],
  ])('with the field %j is rejected with the path of the mistake (J2)', (changes, path, message) => {
    expect(check(withField(changes)).mistakes).toEqual([[`steps[0].fields[0].${path}`, message]]);
  });

  it('is rejected with all of its mistakes, in the order of the text', () => {
    const source = {
      name: '',
      entities: [{ label: 3, is_repeatable: 'no' }],
      steps: [
        step({ title: null, fields: [field({ code: 'Bad' }), 5] }),
        {
          fields: [
            field({ code: 'b', conditions: [{ depends_on_field_code: 'Bad', operator: 1 }], colour: 'red' }),
          ],
        },
      ],
    };
    expect(check(source).mistakes.map(([path]) => path)).toEqual([
      'slug',
      'name',
      'entities[0].name',
      'entities[0].label',
      'entities[0].is_repeatable',
      'steps[0].title',
      'steps[0].fields[0].code',
      'steps[0].fields[1]',
      'steps[1].step_number',
      'steps[1].title',
      'steps[1].fields[0].conditions[0].action',
      'steps[1].fields[0].conditions[0].operator',
      'steps[1].fields[0].colour',
    ]);
  });
});

describe('a definition that is too large (F14)', () => {
  const { definition } = check(form());
  const [plainStep] = definition!.steps;
  const plain = plainStep!.fields[0]!;
  const size = (fields: DefinedField[], stored?: FormSize) => {
    const messages: string[] = [];
    const large = { ...definition!, steps: [{ ...plainStep!, fields }] };
    checkSize(large, stored, (path, message) => messages.push(`${path}: ${message}`));
    return messages;
  };
  const many = <T>(count: number, one: T): T[] => Array<T>(count).fill(one);
  const options = (count: number) => ({ ...plain, options: many(count, { label: '', value: '', order: 1 }) });
  const hide = { depends_on_field_code: '', operator: 'empty', value: '', action: 'hide' } as const;
  const conditions = (count: number) => ({ ...plain, conditions: many(count, hide) });

  it.each<[string, (more: number) => DefinedField[], string]>([
    ['fields', (more) => many(10_000 + more, plain), '10,000 fields, but have 10,001'],
    ['options', (more) => [options(100_000 + more)], '100,000 options, but have 100,001'],
    ['conditions', (more) => [conditions(30_000 + more)], '30,000 conditions, but have 30,001'],
  ])('is rejected if it has too many %s, unless the stored form has as many', (_what, fields, limit) => {
    const counted = (messages: readonly string[]) =>
      messages.filter((one) => !one.includes('bytes of schema'));
    expect(counted(size(fields(0)))).toEqual([]);
    const message = `steps: must have at most ${limit}; divide the form into several forms`;
    expect(counted(size(fields(1)))).toEqual([message]);
    const stored = formSizeOf({ ...definition!, steps: [{ ...plainStep!, fields: fields(1) }] });
    expect(size(fields(1), stored)).toEqual([]);
  });

  it('is rejected if its schema is longer than 5 MiB', () => {
    expect(size([{ ...plain, description: 'é'.repeat(2_621_000) }])).toEqual([]);
    expect(check(withField({ description: 'é'.repeat(2_621_500) })).mistakes).toEqual([
      ['steps', expect.stringMatching(/^must have at most 5,242,880 bytes of schema, but have 5,243,\d{3};/)],
    ]);
  });
});
