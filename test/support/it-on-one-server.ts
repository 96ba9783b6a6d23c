import { testServer } from './test-server.js';

/** For what looks at plans and locks, which are shown otherwise where tables are distributed. */
export const itOnOneServer = testServer().workers.length === 0 ? it : it.skip;
