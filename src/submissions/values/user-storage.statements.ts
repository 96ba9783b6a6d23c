import { boolean, integer, statement } from '../../database/statement.js';

/** The bytes that a user stores, and the number of rows that they are the sum of. */
export const FIND_USER_STORAGE = statement(
  'user_storage.find',
  `select coalesce(sum(text_bytes), 0), coalesce(sum(file_bytes), 0), count(*) from user_storage where user_id = $1`,
  { text: integer, files: integer, changes: integer },
);

/** Locks a user, so that no other transaction stores anything but values for the user. Returns no row if the user is locked. */
export const LOCK_USER = statement(
  'user_storage.lock_user',
  'select true from users where id = $1 for no key update skip locked',
  { isLocked: boolean },
);

/** Maximum number of rows that one statement merges, so that the statement is short. */
export const MERGED_AT_ONCE = 10_000;

/**
 * Replaces rows of a user by their sum, and returns their number. The total is the same before and after. Skips rows that another
 * instance merges.
 */
export const MERGE_USER_STORAGE = statement(
  'user_storage.merge',
  `with merged as (
     delete from user_storage where user_id = $1 and id = any (array(
       select id from user_storage where user_id = $1 order by id limit ${MERGED_AT_ONCE} for update skip locked))
     returning text_bytes, file_bytes
   ), inserted as (
     insert into user_storage (user_id, text_bytes, file_bytes)
     select $1, sum(text_bytes), sum(file_bytes) from merged having sum(text_bytes) <> 0 or sum(file_bytes) <> 0
   )
   select count(*) from merged`,
  { changes: integer },
);
