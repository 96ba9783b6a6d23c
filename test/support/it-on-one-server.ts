import { testServer } from './test-server.js';

/** For what looks at plans and locks, or puts triggers on tables: Citus shows the first otherwise, and knows no such triggers. */
export const itOnOneServer = testServer().workers.length === 0 ? it : it.skip;
