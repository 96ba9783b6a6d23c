import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandError } from '../../cli/command-error.js';
import { UUID } from '../../http/bodies/uuid.js';
import { ERASURE_KINDS, ERASURE_REASONS } from './entities/erasure.js';
import type { ErasureLine } from './erasures.js';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const HASH = /^[\da-f]{64}$/;
const MAX_ID = 2 ** 31 - 1;
/** Lines that are applied together. */
const BATCH = 500;

/**
 * Reads a file of erasures in batches.
 *
 * @throws CommandError that names the first line that is none
 */
export async function* readErasures(name: string): AsyncGenerator<readonly ErasureLine[]> {
  let batch: ErasureLine[] = [];
  let number = 0;
  for await (const line of linesOf(name)) {
    number += 1;
    if (line === '') continue;
    batch.push(parseErasure(line, `${name}, line ${number}`));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(name: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(name), crlfDelay: Infinity });
  } catch (error) {
    throw new CommandError(`The file ${name} cannot be read: ${(error as Error).message}.`);
  }
}

/** @param where names the line in errors */
export function parseErasure(line: string, where: string): ErasureLine {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    given = undefined;
  }
  if (isErasure(given)) return given;
  throw new CommandError(
    `${where} is no erasure, so nothing was deleted again. Give a file that "db erasures" has written.`,
  );
}

function isErasure(given: unknown): given is ErasureLine {
  if (typeof given !== 'object' || given === null) return false;
  const { id, kind, happened_at, reason, submission_uuid, user_id, field_ids, identity_hashes } =
    given as Record<keyof ErasureLine, unknown>;
  const isOfUser = kind === 'user.erased';
  return (
    isUuid(id) &&
    (ERASURE_KINDS as readonly unknown[]).includes(kind) &&
    isTime(happened_at) &&
    (ERASURE_REASONS as readonly unknown[]).includes(reason) &&
    (isOfUser
      ? isId(user_id) && submission_uuid === undefined
      : isUuid(submission_uuid) && user_id === undefined) &&
    (kind === 'submission.anonymized' ? isListOf(field_ids, isId) : field_ids === undefined) &&
    (isOfUser ? isListOf(identity_hashes ?? [], isHash) : identity_hashes === undefined)
  );
}

/** A day that does not exist, such as 30 February, is another day once it is parsed. */
const isTime = (value: unknown) =>
  typeof value === 'string' &&
  TIMESTAMP.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().slice(0, 23) === value.slice(0, 23) &&
  !value.startsWith('0000');
const isUuid = (value: unknown) => typeof value === 'string' && UUID.test(value);
const isHash = (value: unknown) => typeof value === 'string' && HASH.test(value);
const isId = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) <= MAX_ID;
const isListOf = (value: unknown, isItem: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(isItem);
