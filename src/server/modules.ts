import type { DynamicModule, Type } from '@nestjs/common';
import { CAPABILITIES } from '../capabilities.js';
import type { Environment } from '../config/environment.js';

/** Loads only the modules that the environment switches on, because the others would waste memory (U1). */
export async function modulesOf(environment: Environment): Promise<(Type | DynamicModule)[]> {
  const modules: (Type | DynamicModule)[] = [];
  for (const { module } of CAPABILITIES) {
    const loaded = await module?.(environment);
    if (loaded !== undefined) modules.push(loaded);
  }
  return modules;
}
