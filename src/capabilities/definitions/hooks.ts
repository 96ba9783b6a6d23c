import type { Hooks } from '../../server/hooks.js';
import { addExamples } from './seed.js';

export const HOOKS: Hooks = { fillNew: addExamples };
