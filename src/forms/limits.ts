/** Characters that the columns of names, slugs, codes and titles hold. */
export const MAX_NAME = 255;

/** J2: those of a rule's value, which may be a pattern. */
export const MAX_RULE_VALUE = 500;

/** Records of a submission, of all entities together (R3). */
export const MAX_RECORDS = 200;

/** Fields of all records of one entity together (R3): the states of so many are resolved in 15 ms. */
export const MAX_RECORD_FIELDS = 20_000;

/** UTF-8 bytes of an option's value. PostgreSQL indexes at most 2,704 bytes in a row, the id of the field among them. */
export const MAX_OPTION_BYTES = 2_600;

/** F5. */
export const SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$';
const SLUG_FORM = new RegExp(SLUG);

export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && SLUG_FORM.test(value);
}

/** Bytes of a file (U5). */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** Characters of what a field accepts (U5). */
export const MAX_ACCEPT = 1_000;
