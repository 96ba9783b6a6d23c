import type { Hooks } from '../../server/hooks.js';
import { recordAct } from './record-act.js';

export const HOOKS: Hooks = { recordAct };
