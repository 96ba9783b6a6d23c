import { statement, text } from '../database/statement.js';

/** Keeps the schema of a version (N3). Another transaction may have kept it before. */
export const KEEP_VERSION = statement(
  'forms.keep_version',
  `insert into form_versions (form_id, version, schema, changed_by, changed_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing`,
  {},
);

/** A form that got another UUID serves no version that an earlier form with this UUID may have had. */
export const FIND_VERSION = statement(
  'forms.version',
  `select schema::text from form_versions where form_id = $1 and version = $2
      and version > coalesce((select last_version from form_uuids where uuid = $3), 0)`,
  { schema: text },
);
