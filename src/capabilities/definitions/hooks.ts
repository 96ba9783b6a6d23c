import type { Hooks } from '../../server/hooks.js';
import { addExampleForms } from './seed.js';

export const HOOKS: Hooks = { fillNew: addExampleForms };
