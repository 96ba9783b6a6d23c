import { UUID } from '../../http/bodies/uuid.js';

/** A position in a list of submissions: right after this submission, even if the submission was deleted. */
export interface ListPosition {
  /** A timestamp as in a response, with microseconds, or `infinity`. */
  readonly createdAt: string;
  readonly uuid: string;
}

/** The position before the newest submission. */
export const BEGINNING: ListPosition = {
  createdAt: 'infinity',
  uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const POSITION = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6}Z) (\S+)$/;

export function writeCursor({ createdAt, uuid }: ListPosition): string {
  return Buffer.from(`${createdAt} ${uuid}`).toString('base64url');
}

/** Returns undefined if the service cannot have written this cursor. */
export function readCursor(cursor: string): ListPosition | undefined {
  const [, seconds = '', rest = '', uuid = ''] =
    POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = { createdAt: seconds + rest, uuid };
  return isMoment(seconds) && UUID.test(uuid) && writeCursor(position) === cursor ? position : undefined;
}

/** Whether the time exists. PostgreSQL would reject a time such as 30 February. */
function isMoment(seconds: string): boolean {
  const date = new Date(`${seconds}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(seconds);
}
