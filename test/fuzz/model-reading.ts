import { Refusal, refuse, refuseIfWrong } from './model-refusal.js';
import type { Request } from './requests.js';

/** Returns the UUID in the path. A malformed UUID is 404 before any other error (F6). */
export function nameOf(request: Request): string {
  return isNamed(request) ? request.path!['uuid']!.toLowerCase() : refuse(404, 'Submission not found.');
}

const isNamed = ({ path }: Request) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(path?.['uuid'] ?? '');

/** Returns the record id in the path. An impossible id is 404 (R2). If the UUID is malformed too, either message is allowed. */
export function recordIdOf(request: Request): number {
  const id = request.path?.['id'] ?? '';
  const isId = /^[1-9]\d*$/.test(id) && Number(id) <= Number.MAX_SAFE_INTEGER;
  if (!isId) refuse(404, isNamed(request) ? 'Record not found.' : /^(Submission|Record) not found\.$/);
  nameOf(request);
  return Number(id);
}

/** Returns undefined if there is no body. */
export function readJson({ body }: Request): unknown {
  if (body === undefined) return undefined;
  if (body.type !== 'application/json') {
    refuse(415, 'The request body must be JSON: send it with Content-Type: application/json.');
  }
  try {
    const json: unknown = JSON.parse(body.text);
    if (valuesOf(json) > 20_000)
      refuse(413, 'The request body has more than 20000 values, objects and arrays included.');
    return depthOf(json) <= 64 ? json : refuse(400, 'The request body is nested deeper than 64 levels.');
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return refuse(400, /^The request body is not valid JSON: /);
  }
}

function depthOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(depthOf));
}

/** An empty object or array counts twice. */
function valuesOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 1;
  const members = Object.values(json);
  return members.length === 0 ? 2 : members.reduce<number>((sum, member) => sum + valuesOf(member), 1);
}

/** `others` are names of errors that the service may report instead of the error in the body. */
export function objectIn(json: unknown, others: readonly string[] = []): Record<string, unknown> {
  if (json === undefined) return {};
  if (typeof json !== 'object' || json === null || Array.isArray(json)) refuseIfWrong([['body', ...others]]);
  return json as Record<string, unknown>;
}

export function badKey({ headers }: Request): string[] {
  const key = headers['Idempotency-Key'];
  return key === undefined || /^[ -~]{1,255}$/.test(key) ? [] : ['Idempotency-Key'];
}

export const tagsIn = (header = '') => header.split(',').map((tag) => tag.trim());
