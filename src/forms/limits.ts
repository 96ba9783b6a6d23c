/** Maximum characters of names, slugs, codes and titles. */
export const MAX_NAME = 255;

/** Maximum characters of a rule's value, which may be a pattern (J2). */
export const MAX_RULE_VALUE = 500;

/** Maximum levels of a formula, operands in all, decimal places, and characters between joined texts (K1). The database has the same limits. */
export const MAX_FORMULA_DEPTH = 4;
export const MAX_FORMULA_OPERANDS = 50;
export const MAX_FORMULA_SCALE = 20;
export const MAX_FORMULA_WITH = 100;

/** Maximum computed fields of a form (K1). The database has the same limit. */
export const MAX_COMPUTED = 1_000;

/** Maximum days that a rule adds to the date of another field, and takes away from it (J9). */
export const MAX_OFFSET_DAYS = 99_999;

/** Maximum records of a submission, for all entities together (R3). */
export const MAX_RECORDS = 200;

/** Maximum fields in all records of one entity together (R3). Resolving the states of this many fields takes 15 ms. */
export const MAX_RECORD_FIELDS = 20_000;

/** Maximum UTF-8 bytes of an option's value. An index row of PostgreSQL has at most 2,704 bytes, including the field's id. */
export const MAX_OPTION_BYTES = 2_600;

/** The format of a slug (F5). */
export const SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$';
const SLUG_FORM = new RegExp(SLUG);

export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && SLUG_FORM.test(value);
}

/** Maximum bytes of a file (U5). */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** Maximum characters of a field's `accept` (U5). */
export const MAX_ACCEPT = 1_000;

/** Maximum rows of a form (F14). The database has the same limits. */
export const MAX_FIELDS = 10_000;
export const MAX_OPTIONS = 100_000;
export const MAX_CONDITIONS = 30_000;

/** Maximum languages of a form besides its own (L1). The database has the same limit. */
export const MAX_LOCALES = 200;

/** Maximum bytes of the schema of a form that is imported (F14). */
export const MAX_SCHEMA_BYTES = 5 * 1024 * 1024;

/** Maximum translations of a form, and their bytes in all languages together. The database has the same limits. */
export const MAX_TRANSLATIONS = 200_000;
export const MAX_TRANSLATION_BYTES = 32 * 1024 * 1024;
