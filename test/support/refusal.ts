import path from 'node:path';
import type { Answer } from './client.js';

const ROOT = path.resolve(__dirname, '../..');

/** Text that a body must never contain (E2): stack traces, SQL, database errors, paths of the server. */
const SECRETS: readonly (string | RegExp)[] = [
  /\bat (async )?[\w.<>$]+ \(/,
  /\.[jt]s:\d/,
  'node:',
  'node_modules',
  'dist/',
  '/work',
  ROOT,
  /\bselect\s/i,
  /\binsert\s/i,
  /\bupdate \w+ set\b/i,
  'SQLSTATE',
  'violates',
  'postgres',
  'ECONN',
  'FST_ERR',
];

export function secretsIn(body: unknown): string[] {
  const text = typeof body === 'string' ? body : ((JSON.stringify(body) as string | undefined) ?? '');
  return SECRETS.filter((secret) =>
    typeof secret === 'string' ? text.includes(secret) : secret.test(text),
  ).map(String);
}

/** Expects an error response as the contract defines it: JSON with a message, without any detail of the server. */
export function expectRefusal(
  answer: Answer,
  status: number,
  body: object = { message: expect.any(String) },
) {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(answer.body.message).toMatch(/^[A-Z].*\.$/);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(secretsIn(answer.body)).toEqual([]);
}

/** Expects 422 with field errors under exactly these names (E1). */
export function expectInvalid(answer: Answer, ...names: string[]) {
  expectRefusal(answer, 422, {
    message: 'The given data was invalid.',
    errors: Object.fromEntries(names.map((name) => [name, [expect.stringMatching(/^[A-Z].*\.$/)]])),
  });
}
