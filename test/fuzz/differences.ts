import type { Answer } from '../support/client.js';
import type { Expected } from './model-reading.js';

/** Returns the predictions that the response contradicts, one line each. */
export function differencesBetween(
  expected: Expected,
  { status, headers, body }: Answer,
  accept = '*/*',
): string[] {
  const { message, mistakes = [], etag, location } = expected;
  const isSame =
    status === expected.status &&
    (message === undefined
      ? JSON.stringify(withoutCodes(body)) === JSON.stringify(expected.body)
      : isSaid(message, body?.message ?? body?.detail) && areNamed(mistakes, namesIn(body?.errors)));
  const predicted =
    message === undefined
      ? brief(expected.body)
      : `${message} ${mistakes.map((names) => names.join(' or ')).join()}`;
  return [
    ...(isSame ? [] : [`${expected.status} ${predicted}`]),
    ...(headers.get('etag') === (etag === undefined ? null : `"${etag}"`) ? [] : [`ETag: "${etag}"`]),
    // The body has the format that `Accept` asks for (E11).
    ...(status < 400 || accept.includes('problem+json') === 'detail' in body ? [] : [`a body for ${accept}`]),
    ...(headers.get('location') === (location ?? null) ? [] : [`Location: ${location}`]),
  ];
}

/** The model does not predict the codes of `mistakes` (J3). */
function withoutCodes(body: any): unknown {
  if (body?.data?.mistakes === undefined) return body;
  const mistakes = body.data.mistakes.map(({ field, detail }: Record<string, string>) => ({ field, detail }));
  return { ...body, data: { ...body.data, mistakes } };
}

/** The names in `errors`, in plain JSON or in problem details (E11). */
function namesIn(errors: object | { field: string }[] = {}): string[] {
  return Array.isArray(errors) ? errors.map(({ field }) => field) : Object.keys(errors);
}

function isSaid(message: string | RegExp, answered: string): boolean {
  return message instanceof RegExp ? message.test(answered) : message === answered;
}

function areNamed(mistakes: readonly (readonly string[])[], names: readonly string[]): boolean {
  return (
    mistakes.every((alternatives) => alternatives.some((name) => names.includes(name))) &&
    names.every((name) => mistakes.flat().includes(name))
  );
}

const LONGEST_LINE = 2_000;

export const brief = (body: unknown) =>
  body === undefined ? 'without a body' : shortened(JSON.stringify(body));

export function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}... (${line.length} characters)`;
}
