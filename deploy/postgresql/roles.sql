-- Creates the roles and the database. Run it once, as an administrator, before the first migration:
-- psql -v owner=PASSWORD -v service=PASSWORD -v panel=PASSWORD --file=roles.sql
\set ON_ERROR_STOP on
-- Owns the tables, runs migrations and delivers webhooks.
create role formtrail_owner login password :'owner';
-- Serves requests.
create role formtrail_service login password :'service';
-- The panel and the command line.
create role formtrail_panel login password :'panel';
create database formtrail owner formtrail_owner;
\connect formtrail
-- Applies to the tables of later migrations too.
alter default privileges for role formtrail_owner in schema public
  grant select, insert, update, delete on tables to formtrail_service, formtrail_panel;
