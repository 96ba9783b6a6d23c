import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BenchError } from './bench-error.mjs';
import { HELP, readOptions } from './options.mjs';
import { ROOT } from './root.mjs';
import { markdownTable } from './report.mjs';

const say = (sentence) => process.stderr.write(`${sentence}\n`);
const closing = [];

/** Stops servers and drops databases. Called at the end of a run, even if the run fails. */
async function close() {
  while (closing.length > 0) {
    const end = closing.pop();
    await end().catch((error) => say(error.message));
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await run(options);
} catch (error) {
  say(error instanceof BenchError ? error.message : error.stack);
  process.exitCode = 1;
} finally {
  await close();
}

async function run(options) {
  // This command builds if the sources are newer than the last build, as "npm start" does.
  const built = spawnSync(process.execPath, [path.join(ROOT, 'scripts/run.mjs'), '--help'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) throw new BenchError('The service cannot be built; see above.');
  const { bench } = await import(`./${options.what}.mjs`);
  const { surroundings, results, tables } = await bench(options, { say, closing });
  process.stdout.write(`\n${surroundings.join('\n')}\n\n${tables.map(markdownTable).join('\n')}`);
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ surroundings, options, results }, null, 2)}\n`);
  }
}
