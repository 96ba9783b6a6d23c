import type { Hooks } from '../../server/hooks.js';
import { ACCOUNTS } from './commands/accounts.js';

export const HOOKS: Hooks = { userNames: ACCOUNTS };
