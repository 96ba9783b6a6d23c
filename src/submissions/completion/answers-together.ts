import { formatExact, sumOf, type Today } from '../../conditions/engine/index.js';
import type { ErrorOfRule } from '../../forms/field-rules/rule.js';
import { ComparableAnswer } from '../../forms/field-rules/rules-between-fields.js';
import { definitionOf } from '../../forms/field-types.js';
import { optionIn } from '../../forms/option-list.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import { expectedOf } from './expected-value.js';
import { type IsHidden, valueName } from './hidden-values.js';

/** The values of each field that are not blank, by record. */
export type ValuesByPlace = ReadonlyMap<number, ReadonlyMap<number | null, string>>;

export interface BrokenRule {
  readonly rule: ErrorOfRule;
  /** The value that the rule's error is about. */
  readonly value: string;
}

/** Whether any rule of the field needs more than the value that it checks. */
export const needsOtherAnswers = ({ rules }: PublishedField): boolean =>
  rules !== undefined && (rules.hasSum || rules.betweenFields.length > 0);

/** Most rules between fields that one value reports. Their number has no other limit, and each record has a value. */
const MAX_BROKEN = 20;

const NONE: readonly BrokenRule[] = [];

/** Checks rules that compare answers with one another (J9), or add them up (J10). Reads each answer once. */
export class AnswersTogether {
  private readonly answers = new Map<string, ComparableAnswer | undefined>();

  constructor(
    private readonly form: PublishedForm,
    private readonly values: ValuesByPlace,
    private readonly isHidden: IsHidden,
  ) {}

  /** Returns the broken rules that name another field, for a value that fits the type of its field. */
  broken(field: PublishedField, value: string, recordId: number | null): readonly BrokenRule[] {
    const rules = field.rules?.betweenFields ?? [];
    if (rules.length === 0) return NONE;
    const answer = comparable(field, value);
    const broken: BrokenRule[] = [];
    for (const rule of rules) {
      const other = this.answerTo(rule.otherFieldId, recordId);
      const bound = other && rule.brokenBound(answer, other);
      if (bound !== undefined) broken.push({ rule, value: bound });
      if (broken.length === MAX_BROKEN) break;
    }
    return broken;
  }

  /** Returns the broken rules of the sum of a field's values. None if no value counts. */
  brokenBySum(field: PublishedField, today: Today): readonly BrokenRule[] {
    const { id, rules } = field;
    if (rules?.hasSum !== true) return NONE;
    const placed = [...(this.values.get(id) ?? [])];
    const sum = sumOf(placed.flatMap(([recordId, value]) => (this.isHidden(field, recordId) ? [] : [value])));
    if (sum === undefined) return NONE;
    const value = formatExact(sum) ?? `${sum.units}e-${sum.scale}`;
    return rules.on(today).ofSum.flatMap((rule) => (rule.isMet(value) ? [] : [{ rule, value }]));
  }

  /** Returns the answer in the same record, or the single answer. Undefined if the answer cannot be compared. */
  private answerTo(fieldId: number, recordId: number | null): ComparableAnswer | undefined {
    const field = this.form.fieldsById.get(fieldId);
    // A retired field is not among the fields of the form.
    if (field === undefined) return undefined;
    const name = valueName(fieldId, field.isRepeatable, recordId);
    if (!this.answers.has(name)) this.answers.set(name, this.read(field, recordId));
    return this.answers.get(name);
  }

  private read(field: PublishedField, recordId: number | null): ComparableAnswer | undefined {
    const placed = this.values.get(field.id);
    const value = field.isRepeatable ? placed?.get(recordId) : placed?.values().next().value;
    if (value === undefined || this.isHidden(field, recordId)) return undefined;
    return expectedOf(field)?.fits(value) === false ? undefined : comparable(field, value);
  }
}

/** Leaves out white space that does not count (J13). */
function comparable({ component, options }: PublishedField, value: string): ComparableAnswer {
  const { holds } = definitionOf(component);
  const text =
    holds === 'option' ? (optionIn(options, value) ?? value) : holds === 'text' ? value : value.trim();
  return new ComparableAnswer(text, holds === 'number');
}
