import fc from 'fast-check';
import { checkDefinition, namesIn } from '../../src/capabilities/definitions/check-definition.js';
import type { FormDefinition } from '../../src/capabilities/definitions/form-definition.js';
import { lintForm } from '../../src/capabilities/definitions/lint-form.js';
import { FIRST_FIELD_TYPES } from '../../src/forms/field-types.js';
import { type Action, compileRules, type Operator, OPERATORS } from '../../src/conditions/engine/index.js';

/**
 * A condition in words: action, code of the tested field, operator and value, such as `show colour equals red`. A value such as `@start` is
 * the field that it compares with. A group comes last, such as `show number at_least 5 #1`.
 */
type Words = readonly string[];

export interface FieldPlan {
  readonly type?: string;
  readonly entity?: string;
  readonly repeatable?: boolean;
  readonly retired?: boolean;
  readonly options?: readonly string[];
  /** The places of each option. */
  readonly places?: number;
  readonly conditions?: Words;
  readonly rules?: Readonly<Record<string, string>>;
  readonly accept?: string;
  /** Further properties, as in a file. */
  readonly more?: object;
}

export interface FormPlan {
  /** The fields of each step, by code. */
  readonly steps: readonly Readonly<Record<string, FieldPlan>>[];
  /** The conditions of steps, by step number. */
  readonly onSteps?: Readonly<Record<number, Words>>;
  /** The conditions of each entity. */
  readonly entities?: Readonly<Record<string, Words>>;
  /** Further properties of the entities, and of the form. */
  readonly entity?: object;
  readonly form?: object;
}

const conditionsOf = (words: Words = []) =>
  words.map((line) => {
    const [, action, depends_on_field_code, operator, rest = '', group] =
      /^(\w+) (\w+) (\w+)(?: (?!#\d$)(.*?))?(?: #(\d))?$/s.exec(line)!;
    const bound = /^@\w/.test(rest) ? { value_field: rest.slice(1) } : { value: rest };
    return { depends_on_field_code, operator, ...bound, action, group: group && Number(group) };
  });

const fieldOf = ([code, plan]: [string, FieldPlan]) => ({
  ...{
    code,
    label: code,
    field_type: { name: plan.type ?? 'text' },
    entity: plan.entity,
    accept: plan.accept,
  },
  ...{ is_repeatable: plan.repeatable ?? false, retired: plan.retired ?? false },
  options: (plan.options ?? []).map((value) => ({ label: value, value, places: plan.places })),
  conditions: conditionsOf(plan.conditions),
  rules: Object.entries(plan.rules ?? {}).map(([kind, value]) => ({ kind, value })),
  ...plan.more,
});

/** Builds a form, as an import reads it. */
export function formOf({ steps, onSteps = {}, entities = {}, entity, form }: FormPlan): FormDefinition {
  const source = {
    ...{ name: 'Form', slug: 'form', ...form },
    entities: Object.entries(entities).map(([name, words]) => ({
      ...{ name, label: name, is_repeatable: false, conditions: conditionsOf(words), ...entity },
    })),
    steps: steps.map((fields, index) => ({
      ...{ step_number: index + 1, title: 'Step', conditions: conditionsOf(onSteps[index + 1]) },
      fields: Object.entries(fields).map(fieldOf),
    })),
  };
  const mistakes: string[] = [];
  const names = { components: new Map<string, string>(FIRST_FIELD_TYPES), ...namesIn(undefined) };
  const definition = checkDefinition(JSON.parse(JSON.stringify(source)), names, (path, message) =>
    mistakes.push(`${path}: ${message}`),
  );
  expect(mistakes).toEqual([]);
  return definition;
}

export function warningsOf(plan: FormPlan): string[] {
  const warnings: string[] = [];
  lintForm(formOf(plan), (path, message) => warnings.push(`${path}: ${message}`));
  return warnings;
}

/** The warnings about a form with one step, with paths relative to the step. */
export const warnings = (fields: Readonly<Record<string, FieldPlan>>) =>
  warningsOf({ steps: [fields] }).map((line) => line.replace(/^steps\[0\]\./, ''));

/** Whether a field with these conditions can never be visible, as lint says. */
export const neverVisible = (source: FieldPlan, conditions: Words) =>
  warnings({ source, target: { conditions } }).filter((line) => line.includes('can never be visible'));

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'a,b',
  ' b',
  '1',
  '1.0',
  ' 2',
  '-1',
  '1e1',
  '0',
  '5x',
  'red',
  'green',
].concat('2026-01-01', '2026-01-02', '2026-01-04', '2026-02-30');
const conditions = fc.tuple(
  fc.constantFrom<Action>('show', 'hide'),
  fc.constantFrom(...OPERATORS),
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TEXTS) }, fc.double().map(String)),
);
const select: FieldPlan = { type: 'select', options: ['red', 'green'] };
const sources = fc.constantFrom<FieldPlan>(
  ...[{}, { repeatable: true }, { type: 'checkbox', repeatable: true }],
  ...[select, { ...select, repeatable: true }, { type: 'heading' }],
);
const values = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS, '0', '\n')).map((parts) => parts.join('')),
  fc.double().map(String),
  fc.string(),
);

/** Values that such a field can hold (V5, V8). Lint assumes that a select holds only its options. */
function contentOf({ type, options, repeatable }: FieldPlan): fc.Arbitrary<string[]> {
  if (type === 'heading') return fc.constant([]);
  const held = options === undefined ? values : fc.constantFrom('', ...options);
  return fc.array(held, { maxLength: repeatable === true ? 4 : 1 });
}

const cases = sources.chain((source) =>
  fc.record({
    source: fc.constant(source),
    conditions: fc.array(conditions, { minLength: 1, maxLength: 5 }),
    contents: fc.array(contentOf(source), { minLength: 20, maxLength: 20 }),
  }),
);

/** No values show a field that lint reports as never visible. */
export function neverVisibleProperty(numRuns: number): void {
  let warned = 0;
  fc.assert(
    fc.property(cases, ({ source, conditions, contents }) => {
      const words = conditions.map(([action, operator, text]) => `${action} source ${operator} ${text}`);
      if (neverVisible(source, words).length === 0) return;
      warned += 1;
      const own = conditions.map(([action, operator, value]: [Action, Operator, string]) => {
        return { dependsOnFieldId: 1, operator, value, action };
      });
      const rules = compileRules([{ id: 2, isRequired: false, conditions: own }]);
      const shows = (content: string[]) =>
        rules.resolveStates(content.map((text) => [1, null, text]))[0]!.visible;
      expect(contents.filter(shows)).toEqual([]);
    }),
    { numRuns },
  );
  expect(warned).toBeGreaterThan(numRuns / 10);
}
