import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isDistributed } from '../../src/capabilities/citus/texts.js';
import type { Statement } from '../../src/database/statement.js';

const SOURCE = path.join(__dirname, '../../src');
/** The service executes no statements of these folders on Citus, which lacks their features. */
const UNAVAILABLE = ['availability', 'files', 'respondents', 'webhooks'];
/** Distributed submissions have no respondents, so Citus executes none of these statements. */
const OF_RESPONDENTS = ['submissions.create_of_respondent', 'submissions.count_open_drafts'];

const isStatement = (one: unknown): one is Statement<unknown> =>
  typeof one === 'object' && one !== null && 'read' in one;

const modules = readdirSync(SOURCE, { recursive: true })
  .map(String)
  .filter(
    (file) =>
      file.endsWith('.statements.ts') && !file.split(path.sep).some((folder) => UNAVAILABLE.includes(folder)),
  )
  .map((file) => jest.requireActual<object>(path.join(SOURCE, file)));

/** All statements of requests on tables that Citus distributes. A new file `*.statements.ts` need not be listed. */
const onDistributedTables = modules
  .flatMap((one) => Object.values<unknown>({ ...one }))
  .filter(isStatement)
  .filter((one) => isDistributed(one) && !OF_RESPONDENTS.includes(one.name));

/** Whether the first parameter is the UUID of the submission, or an array of UUIDs. */
const isOfSubmission = (one: Statement<unknown>) =>
  'batchedBy' in one ||
  /\b(submission_)?uuid = \$1(?!\d)|\(submission_uuid,[^]*select \$1(?!\d)/.test(one.text);

/** Those that the coordinator plans. */
export const plannedStatements = onDistributedTables.filter((one) => !isOfSubmission(one));

/** Those that a worker executes on one shard. */
export const shardStatements = onDistributedTables.filter(isOfSubmission);

/** Reads all shards, because a user's submissions are in all of them. */
export const isList = ({ name }: Statement<unknown>) => name.startsWith('submissions.list');

export const isSweep = ({ name }: Statement<unknown>) => name === 'idempotency.sweep';
