import { testServer } from './test-server.js';

export const isOneServer = testServer().workers.length === 0;

/** For what looks at plans and locks, or puts triggers on tables: Citus shows the first otherwise, and knows no such triggers. */
export const itOnOneServer = isOneServer ? it : it.skip;

/** The same of a whole file, and for files and webhooks, of which there are none on Citus. */
export const onOneServer = isOneServer ? describe : describe.skip;
