import { OPERATOR_TABLE } from '../../conditions/engine/index.js';
import { RULE_KINDS, type RuleKind } from '../../forms/entities/rule-kinds.js';
import { compilePattern } from '../../forms/field-rules/pattern.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { quote, type Report } from './definition-error.js';
import type { DefinedCondition, DefinedField, DefinedRule } from './form-definition.js';
import type { LocatedElement } from './located-elements.js';

/** The fields of a form by code. */
type FieldsByCode = ReadonlyMap<string, DefinedField>;

const notACode = (code: string) => `must be the code of a field of this form, but is ${quote(code)}`;

export function checkConditions(
  conditions: readonly LocatedElement<DefinedCondition>[],
  fields: FieldsByCode,
  report: Report,
): void {
  for (const [{ depends_on_field_code: code, operator, value, value_field }, at] of conditions) {
    if (!fields.has(code)) report(`${at}.depends_on_field_code`, notACode(code));
    if (value_field === undefined) continue;
    if (!fields.has(value_field)) report(`${at}.value_field`, notACode(value_field));
    else if (!(operator in OPERATOR_TABLE)) continue;
    else if (OPERATOR_TABLE[operator].comparison === undefined)
      report(`${at}.value_field`, `must be omitted, because "${operator}" compares with no other field`);
    if (value !== '')
      report(`${at}.value`, `must be omitted, because the condition compares with ${quote(value_field)}`);
  }
}

const COMPARING: ReadonlySet<RuleKind> = new Set([
  'min',
  'max',
  'min_date',
  'max_date',
  'equal',
  'not_equal',
]);
const isEquality = (kind: RuleKind) => kind === 'equal' || kind === 'not_equal';

interface RulesOfField {
  readonly field: DefinedField;
  readonly rules: readonly LocatedElement<DefinedRule>[];
  readonly fields: FieldsByCode;
  /** The patterns of the stored form, which may not compile. */
  readonly patterns: ReadonlySet<string>;
  readonly report: Report;
}

export function checkRules({ field, rules, fields, patterns, report }: RulesOfField): void {
  for (const [rule, path] of rules) {
    const { kind, value, other_field, offset_days } = rule;
    if (!RULE_KINDS.includes(kind)) continue;
    checkBound(rule, path, report);
    if (other_field !== undefined) {
      const other = fields.get(other_field);
      const why = other === undefined ? notACode(other_field) : whyUnfit(field, rule, other);
      if (why !== undefined) report(`${path}.other_field`, why);
    }
    if (offset_days !== undefined && (other_field === undefined || !kind.endsWith('_date')))
      report(
        `${path}.offset_days`,
        'must be omitted, because only "min_date" and "max_date" with other_field add days',
      );
    if (kind.endsWith('_sum') && !(field.is_repeatable && field.field_type.component === 'number-input'))
      report(
        `${path}.kind`,
        `must be the rule of a repeatable number-input, because "${kind}" adds up the numbers of its records`,
      );
    if (kind !== 'pattern' || typeof value !== 'string' || patterns.has(value)) continue;
    const pattern = compilePattern(value);
    if (typeof pattern === 'string')
      report(`${path}.value`, `must be an RE2 regular expression, but ${quote(value)} is not: ${pattern}`);
  }
}

/** A rule has a value or another field (J9). */
function checkBound({ kind, value, other_field }: DefinedRule, path: string, report: Report): void {
  if (isEquality(kind)) {
    if (other_field === undefined)
      report(
        `${path}.other_field`,
        `is missing; it must be the code of the field that "${kind}" compares with`,
      );
    if (value !== undefined)
      report(`${path}.value`, `must be omitted, because "${kind}" compares with other_field`);
  } else if (other_field === undefined) {
    const instead = COMPARING.has(kind) ? ', unless other_field is there' : '';
    if (value === undefined)
      report(`${path}.value`, `is missing; it must be the value of "${kind}"${instead}`);
  } else if (!COMPARING.has(kind)) {
    report(`${path}.other_field`, `must be omitted, because "${kind}" compares with no other field`);
  } else if (value !== undefined) {
    report(`${path}.value`, `must be omitted, because the rule compares with ${quote(other_field)}`);
  }
}

/** Explains why a rule cannot compare its field with the other field, like the database does. */
function whyUnfit(field: DefinedField, { kind }: DefinedRule, other: DefinedField): string | undefined {
  const name = quote(other.code);
  if (other.code === field.code) return 'must be another field';
  if (definitionOf(other.field_type.component).holds === 'nothing')
    return `must be a field that can have a value, but ${name} is for display only`;
  const incomparable = [other, field].find(({ field_type: { component } }) => !canEqual(component));
  if (isEquality(kind) && incomparable !== undefined)
    return `must be omitted, because "${kind}" cannot compare the ${incomparable.field_type.component} ${quote(incomparable.code)}`;
  const isOfRecord = field.is_repeatable && field.entity !== undefined && field.entity === other.entity;
  if (other.is_repeatable && !isOfRecord)
    return `must have one value there, but ${name} is repeatable; both fields must then be repeatable fields of the same entity`;
  return undefined;
}

function canEqual(component: string): boolean {
  const { holds } = definitionOf(component);
  return holds !== 'options' && holds !== 'nothing' && component !== FILE_COMPONENT;
}
