import { importForms } from '../src/forms/definitions/import-forms.js';
import type { Action, Operator } from '../src/rules/index.js';
import type { Client } from './support/client.js';
import { expectRefusal } from './support/refusal.js';
import { newUser, useService } from './support/service.js';

/** The answer to each question that decides, by field code. "code#1" is the answer in the second record. "" is no answer. */
type Answers = Readonly<Record<string, string>>;

interface Shape {
  readonly what: string;
  readonly pages: readonly object[];
  readonly entities?: readonly object[];
  /** The entity of which each draft has two records. */
  readonly recordsOf?: string;
  /** The answers to try for each question. Each combination of them is tried. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
  /** The pages that a person with these answers sees: written as a program, without conditions. */
  readonly seen: (answers: any) => number[];
  /** The fields that a person with these answers sees on some of the pages, by the code of the field. */
  readonly fields?: (answers: any) => Readonly<Record<string, boolean>>;
  /** Any answers can follow any others. Otherwise, each combination is followed by one other. */
  readonly allPairs?: true;
  /** Whether a person with these answers sees the entities. */
  readonly groups?: (answers: any) => Readonly<Record<string, boolean>>;
}

const field = (code: string, more: object = {}) => ({
  ...{ code, label: `The ${code}`, field_type: { name: 'text' } },
  ...more,
});
const page = (...fields: (string | object)[]) => ({
  fields: fields.map((one) => (typeof one === 'string' ? field(one) : one)),
});
const when = (
  action: Action,
  depends_on_field_code: string,
  operator: Operator,
  value = '',
  group?: number,
) => ({
  ...{ depends_on_field_code, operator, value, action },
  ...(group !== undefined && { group }),
});
const showIf = (code: string, value: string, group?: number) => when('show', code, 'equals', value, group);
const hideIf = (code: string, value: string) => when('hide', code, 'equals', value);
const conditional = (of: object, ...conditions: object[]) => ({ ...of, conditions });
const inGroup = (entity: string) => ({ is_repeatable: true, entity });
const group = (name: string, ...conditions: object[]) => ({
  ...{ name, label: name, is_repeatable: true, conditions },
});

const YES_NO = ['yes', 'no', ''] as const;
/** Keeps the numbers whose condition holds. */
const only = (...pages: readonly (number | false)[]): number[] => pages.filter((number) => number !== false);

const SHAPES: readonly Shape[] = [
  {
    what: 'a branch that skips three pages and joins again',
    pages: [
      page('name', 'lived_here_all_year'),
      conditional(page('moved_on'), showIf('lived_here_all_year', 'no')),
      conditional(page('earlier_address'), showIf('lived_here_all_year', 'no')),
      conditional(page('earlier_landlord'), showIf('lived_here_all_year', 'no')),
      page('rent'),
      page('signature'),
    ],
    answers: { lived_here_all_year: YES_NO, moved_on: ['', 'May'] },
    seen: ({ lived_here_all_year }) => (lived_here_all_year === 'no' ? [1, 2, 3, 4, 5, 6] : [1, 5, 6]),
  },
  {
    what: "a branch on a repeated group's value",
    entities: [group('person')],
    recordsOf: 'person',
    pages: [
      page('address'),
      page(field('age_group', inGroup('person'))),
      conditional(page('school'), showIf('age_group', 'child')),
      conditional(page('pension'), showIf('age_group', 'retired')),
      // No person is a child. A person without an answer is none.
      conditional(page('no_children'), when('show', 'age_group', 'not_equals', 'child')),
      page('done'),
    ],
    answers: { 'age_group#0': ['', 'child', 'adult', 'retired'], 'age_group#1': ['', 'child', 'retired'] },
    seen: (answers) => {
      const ages = new Set(Object.values(answers));
      return only(1, 2, ages.has('child') && 3, ages.has('retired') && 4, !ages.has('child') && 5, 6);
    },
  },
  {
    what: 'a page shown by one of two groups of answers (C9)',
    pages: [
      page('country'),
      page('visa', 'sponsor'),
      conditional(
        page('hearing'),
        ...[showIf('country', 'here', 1), showIf('country', 'abroad', 2)],
        ...[showIf('visa', 'no', 1), showIf('sponsor', 'yes', 2)],
      ),
      page('fee'),
    ],
    answers: { country: ['here', 'abroad', ''], visa: ['yes', 'no', ''], sponsor: ['yes', 'no'] },
    seen: ({ country, visa, sponsor }) =>
      only(
        1,
        2,
        ((country === 'here' && visa === 'no') || (country === 'abroad' && sponsor === 'yes')) && 3,
        4,
      ),
  },
  {
    what: 'a page and a group on it both conditional',
    entities: [group('car', when('show', 'travels_by', 'in', 'car, both'))],
    pages: [
      page('travels', 'travels_by'),
      conditional(
        page(
          field('plate', inGroup('car')),
          field('bicycle', { conditions: [when('show', 'travels_by', 'in', 'bicycle, both')] }),
        ),
        hideIf('travels', 'no'),
      ),
      page('date'),
    ],
    answers: { travels: YES_NO, travels_by: ['car', 'bicycle', 'both', 'foot', ''] },
    seen: ({ travels, travels_by }) =>
      only(1, travels !== 'no' && ['car', 'bicycle', 'both'].includes(travels_by) && 2, 3),
    fields: ({ travels, travels_by }) => ({
      plate: travels !== 'no' && ['car', 'both'].includes(travels_by),
      bicycle: travels !== 'no' && ['bicycle', 'both'].includes(travels_by),
    }),
    groups: ({ travels, travels_by }) => ({ car: travels !== 'no' && ['car', 'both'].includes(travels_by) }),
  },
  {
    what: 'a loop back: a later answer shows an earlier page again',
    allPairs: true,
    pages: [
      page('amount'),
      conditional(page('correction'), showIf('checked', 'wrong'), showIf('signed', 'no')),
      page('checked'),
      conditional(page('signed'), showIf('checked', 'right')),
      conditional(page('receipt'), showIf('checked', 'right', 1), showIf('signed', 'yes', 1)),
    ],
    answers: { checked: ['right', 'wrong'], signed: YES_NO },
    seen: ({ checked, signed }) =>
      only(
        ...[1, (checked === 'wrong' || signed === 'no') && 2, 3, checked === 'right' && 4],
        checked === 'right' && signed === 'yes' && 5,
      ),
  },
  {
    what: 'a page that the panel hides',
    allPairs: true,
    pages: [
      page('kind'),
      conditional(page('a'), showIf('kind', 'a')),
      { ...page('b'), is_visible: false },
      page('c'),
    ],
    answers: { kind: ['a', 'b', ''] },
    seen: ({ kind }) => only(1, kind === 'a' && 2, 4),
  },
];

describe('forms that branch by page (C10 to C13)', () => {
  const use = useService();
  let client: Client;
  beforeAll(async () => {
    ({ client } = await newUser(use));
  });

  let slugs = 0;
  /** Imports the shape as a form. Returns the UUID of the form. */
  async function importShape({ what, pages, entities = [] }: Shape): Promise<string> {
    slugs += 1;
    const steps = pages.map((one, index) => ({ ...one, step_number: index + 1, title: `Page ${index + 1}` }));
    const definition = { name: what, slug: `shape-${slugs}`, entities, steps };
    const files = [{ name: 'shape.json', text: JSON.stringify(definition) }];
    const { forms, warnings } = await importForms(use.database.dataSource, files);
    expect(warnings).toEqual([]);
    return forms[0]!.uuid;
  }

  function combinationsOf({ answers }: Pick<Shape, 'answers'>): Answers[] {
    return Object.entries(answers).reduce<Answers[]>(
      (all, [code, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [code]: value }))),
      [{}],
    );
  }

  /** A person with a draft, who remembers the page on which they stand. */
  class Person {
    private page = 1;

    private constructor(
      private readonly shape: Shape,
      private readonly path: string,
      private readonly records: readonly number[],
    ) {}

    static async begin(shape: Shape, form_uuid: string): Promise<Person> {
      const { body } = await client.post('/api/v1/submissions', { form_uuid });
      const path = `/api/v1/submissions/${body.data.uuid}`;
      const records: number[] = [];
      const entity = shape.recordsOf;
      while (entity !== undefined && records.length < 2)
        records.push((await client.post(`${path}/records`, { entity })).body.data.id);
      return new Person(shape, path, records);
    }

    async answer(answers: Answers): Promise<void> {
      const values = Object.entries(answers).map(([code, value]) => {
        const [field_code, record] = code.split('#');
        return {
          ...{ field_code, value },
          ...(record !== undefined && { entity_record_id: this.records[Number(record)] }),
        };
      });
      expect((await client.post(`${this.path}/values`, { values })).status).toBe(200);
    }

    /** Moves until the end, and compares each page with the pages that the program of the shape names. */
    async walk(direction: 'advance' | 'retreat', answers: Answers): Promise<void> {
      const pages = this.shape.seen(answers);
      const ahead =
        direction === 'advance'
          ? pages.filter((number) => number > this.page)
          : pages.filter((number) => number < this.page).toReversed();
      const expected = ahead.map((number) => {
        const position = pages.indexOf(number) + 1;
        return [number, Math.round((100 * position) / pages.length), position === pages.length];
      });

      const moves: unknown[] = [];
      for (;;) {
        const { status, body, headers } = await client.post(`${this.path}/${direction}?skip=hidden`);
        if (status !== 200) {
          const message =
            direction === 'advance' ? 'Already on the last step.' : 'Already on the first step.';
          expectRefusal({ status, body, headers }, 422, { message });
          break;
        }
        const { current_step, progress_percentage, is_last_step } = body.data;
        moves.push([current_step, progress_percentage, is_last_step]);
      }

      expect([answers, direction, moves]).toEqual([answers, direction, expected]);
      this.page = ahead.at(-1) ?? this.page;
    }

    async look(answers: Answers): Promise<void> {
      const { body } = await client.get(`${this.path}/conditions?steps=true&shape=list`);
      const shown = body.steps.flatMap(({ step_number, is_visible, has_visible_fields }: any) =>
        is_visible && has_visible_fields ? [step_number] : [],
      );
      expect([answers, shown]).toEqual([answers, this.shape.seen(answers)]);
      const visible = Object.fromEntries(
        body.data.map(({ field_code, is_visible }: any) => [field_code, is_visible]),
      );
      expect([answers, visible]).toEqual([answers, { ...visible, ...this.shape.fields?.(answers) }]);
      const groups = Object.fromEntries(body.entities.map(({ name, is_visible }: any) => [name, is_visible]));
      expect([answers, groups]).toEqual([answers, { ...groups, ...this.shape.groups?.(answers) }]);
    }
  }

  /** Walks forward and back with some answers, forward with others, and back with the first answers again. */
  async function walkBoth(shape: Shape, form: string, answers: Answers, others: Answers): Promise<void> {
    const person = await Person.begin(shape, form);
    await person.answer(answers);
    await person.look(answers);
    await person.walk('advance', answers);
    await person.walk('retreat', answers);
    await person.answer(others);
    await person.walk('advance', others);
    await person.answer(answers);
    await person.walk('retreat', answers);
  }

  /** A few at a time, so that no request waits long. */
  async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const queue = items.values();
    const worker = async () => {
      for (const item of queue) await work(item);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }

  it.each(SHAPES)('$what: shows the same pages as the program, forward and back', async (shape) => {
    const form = await importShape(shape);
    const combinations = combinationsOf(shape);
    const pairs = combinations.flatMap((answers, index) => {
      const others = shape.allPairs ? combinations : [combinations[(index + 1) % combinations.length]!];
      return others.map((other) => ({ answers, others: other }));
    });
    await each(pairs, ({ answers, others }) => walkBoth(shape, form, answers, others));
  });
});
