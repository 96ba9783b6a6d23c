/** The kinds of rules (J2), in the order in which they are published and checked. */
export const RULE_KINDS = [
  'min',
  'max',
  'min_length',
  'max_length',
  'pattern',
  'min_date',
  'max_date',
  'equal',
  'not_equal',
  'min_sum',
  'max_sum',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
