import { UUID } from '../../http/bodies/uuid.js';

/** A place in a list of submissions: right after one, whether or not it is still there. */
export interface ListPosition {
  /** As the wire has it. */
  readonly createdAt: string;
  readonly uuid: string;
}

/** Before the newest. */
export const BEGINNING: ListPosition = {
  createdAt: 'infinity',
  uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const POSITION = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6}Z) (\S+)$/;

export function writeCursor({ createdAt, uuid }: ListPosition): string {
  return Buffer.from(`${createdAt} ${uuid}`).toString('base64url');
}

/** Undefined: no cursor that was ever written. */
export function readCursor(cursor: string): ListPosition | undefined {
  const [, seconds = '', rest = '', uuid = ''] =
    POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = { createdAt: seconds + rest, uuid };
  return isMoment(seconds) && UUID.test(uuid) && writeCursor(position) === cursor ? position : undefined;
}

/** There are dates that look like one and are none, which PostgreSQL would reject. */
function isMoment(seconds: string): boolean {
  const date = new Date(`${seconds}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(seconds);
}
