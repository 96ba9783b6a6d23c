-- Revokes the rights that the roles do not need. Run it as formtrail_owner, after the first migration.
\set ON_ERROR_STOP on
revoke insert, update, delete on users, api_tokens, forms, steps, field_types, entities, fields, field_rules, options,
  conditions, translations, deleted_steps, backups, migrations from formtrail_service;
-- To lock a row, a role must be allowed to update one of its columns. Creating a submission locks its form and its user.
grant update (created_at) on users, forms to formtrail_service;
-- With JWT_ISSUERS, servers create users and their identities.
grant insert on users to formtrail_service;
revoke update, delete on user_identities from formtrail_service;
-- Only the servers keep the schemas of completed versions.
revoke update, delete on form_versions, form_version_texts from formtrail_service;
revoke insert, update, delete on form_versions, form_version_texts from formtrail_panel;
-- Triggers write the deleted identities and the UUIDs of forms, with the rights of the owner.
revoke insert, update, delete on ended_identities, form_uuids from formtrail_service, formtrail_panel;
revoke insert, update, delete on migrations from formtrail_panel;
-- Triggers count what users store, with the rights of the owner. The servers merge the counts.
revoke insert, update, delete on user_storage from formtrail_panel;
-- Triggers count completed submissions, with the rights of the owner. The command "forms check-counts" of the panel's role mends the counts.
revoke insert, update, delete on form_counts, user_counts, option_counts, held_options from formtrail_service;
-- Triggers write the outbox of webhooks, with the rights of the owner.
revoke all on webhook_endpoints, webhook_outbox, webhook_deliveries from formtrail_service;
-- Triggers write the audit log, with the rights of the owner. The panel adds entries, and deletes those older than 30 days.
revoke all on audit_log from formtrail_service;
revoke update on audit_log from formtrail_panel;
-- Triggers copy which submissions are held, with the rights of the owner. Purges record what they delete, and forget old records.
revoke insert, update, delete on held_submissions from formtrail_service, formtrail_panel;
revoke update on erasures from formtrail_service, formtrail_panel;
