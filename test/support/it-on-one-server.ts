import { testServer } from './test-server.js';

export const isOneServer = testServer().workers.length === 0;

/** For tests of query plans or locks, which Citus shows differently, or with triggers, which Citus does not support. */
export const itOnOneServer = isOneServer ? it : it.skip;

/** For groups of such tests, and for tests of files and webhooks, which do not work on Citus. */
export const onOneServer = isOneServer ? describe : describe.skip;
