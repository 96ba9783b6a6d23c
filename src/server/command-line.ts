import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns how to run a command. In a checkout, npm builds first. The npm package is already built. */
export function commandLine(packageRoot: string): string {
  return existsSync(path.join(packageRoot, 'scripts/run.mjs')) ? 'npm run --silent cli --' : 'npx formtrail';
}
