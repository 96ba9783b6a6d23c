import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DISTRIBUTED_TABLES } from '../../src/capabilities/citus/distribute.js';
import * as creation from '../../src/capabilities/citus/create-record.js';
import type { BatchedStatement, Statement } from '../../src/database/statement.js';

const SOURCE = path.join(__dirname, '../../src');
/** The service executes no statements of these folders on Citus, which lacks their features. */
const UNAVAILABLE = ['files', 'respondents', 'webhooks'];
/** Distributed submissions have no respondents, so Citus executes none of these statements. */
const OF_RESPONDENTS = ['submissions.create_of_respondent', 'submissions.count_open_drafts'];
/** These statements write to two tables. A worker executes them, or others replace them, so the coordinator never plans them. */
const OF_TWO_TABLES = ['submissions.store_values', 'records.create'];

const isStatement = (one: unknown): one is Statement<unknown> =>
  typeof one === 'object' && one !== null && 'read' in one;

const modules = readdirSync(SOURCE, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.statements.ts') && !UNAVAILABLE.includes(file.split(path.sep)[0]!))
  .map((file) => jest.requireActual<object>(path.join(SOURCE, file)));

const NAMES_DISTRIBUTED = new RegExp(`\\b(${DISTRIBUTED_TABLES.map(({ table }) => table).join('|')})\\b`);

/** All statements of requests on tables that Citus distributes. A new file `*.statements.ts` need not be listed. */
const onDistributedTables = [...modules, creation]
  .flatMap((one) => Object.values<unknown>({ ...one }))
  .filter(isStatement)
  .filter(({ name }) => !OF_RESPONDENTS.includes(name))
  .filter(({ text }) => NAMES_DISTRIBUTED.test(text.replace(/^\/\*.*?\*\//, '')));

/** Those that the coordinator plans. */
export const plannedStatements = onDistributedTables.filter(({ name }) => !OF_TWO_TABLES.includes(name));

/** Those that a worker executes, on one shard after the other. */
export const shardStatements = onDistributedTables.filter(
  (one): one is BatchedStatement<unknown> => 'batchedBy' in one,
);

/** Reads all shards, because a user's submissions are in all of them. */
export const isList = ({ name }: Statement<unknown>) => name.startsWith('submissions.list');

export const isSweep = ({ name }: Statement<unknown>) => name === 'idempotency.sweep';
