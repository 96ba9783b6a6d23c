/** The media type of problem details (RFC 9457, section 3). */
export const PROBLEM_TYPE = 'application/problem+json';

/**
 * An item of a list in a header. A comma within quotes does not end the item (RFC 9110, section 5.6.4). An unclosed
 * quote extends to the end of the header, so that no part is scanned twice.
 */
const ITEM = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/g;
const WEIGHT = /;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/i;

/**
 * Whether an `Accept` header requests problem details (RFC 9110, section 12.5.1; E11). The header must name their
 * media type and must not prefer plain JSON. A wildcard is not enough, because clients with wildcards have always got
 * bodies without codes.
 */
export function acceptsProblemDetails(header: string | undefined): boolean {
  if (header === undefined || !header.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const weights = new Map<string, number>();
  for (const [item] of header.matchAll(ITEM)) {
    const [range = ''] = item.split(';', 1);
    weights.set(range.trim().toLowerCase(), weightOf(item));
  }
  const weight = weights.get(PROBLEM_TYPE) ?? 0;
  const plain = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return weight > 0 && weight >= plain;
}

/** Returns the weight of an item, from 0 to 1. A malformed weight counts as 0. */
function weightOf(item: string): number {
  if (!/;\s*q\s*=/i.test(item)) return 1;
  return Number(WEIGHT.exec(item)?.[1] ?? 0);
}
