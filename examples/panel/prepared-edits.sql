-- The table in which the panel remembers changes of live forms that people prepare in copies. The service and its migrations do not know
-- the table. It has no foreign keys, because these could stop a migration. The panel runs this file when it starts, if it may create
-- tables. Otherwise, run it as the owner of the other tables.
create table panel_prepared_edits (
  form_id integer primary key,
  copy_id integer not null unique,
  definition json not null,
  begun_version integer not null,
  parts json not null,
  begun_by varchar(255),
  begun_at timestamptz not null default now()
);
comment on table panel_prepared_edits is 'Changes of live forms that people prepare in copies. Only the example panel uses it.';
comment on column panel_prepared_edits.form_id is 'The live form.';
comment on column panel_prepared_edits.copy_id is 'The inactive copy, which people edit.';
comment on column panel_prepared_edits.definition is 'The live form when the copy was made.';
comment on column panel_prepared_edits.begun_version is 'The version of the live form when the copy was made.';
comment on column panel_prepared_edits.parts is 'The ids of fields and entities of the copy, each with the id in the live form.';
