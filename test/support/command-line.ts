import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const CLI = path.resolve(__dirname, '../../dist/src/cli.js');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly databaseUrl: string;
  /** Where commands are run. */
  readonly directory: string;
}

export type CommandLine = ReturnType<typeof commandLine>;

/** The built command line (see `build()`), as an operator starts it, with nothing of this process's environment. */
export function commandLine({ databaseUrl, directory }: Surroundings) {
  const start = (
    words: readonly string[],
    variables: NodeJS.ProcessEnv = {},
    options: SpawnOptions = {},
  ): ChildProcess => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, ...variables };
    return spawn(process.execPath, [CLI, ...words], { cwd: directory, env, ...options });
  };
  const run = async (
    words: readonly string[],
    variables: NodeJS.ProcessEnv = {},
    input = '',
  ): Promise<Outcome> => {
    const child = start(words, variables);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    return ended(child);
  };
  return { start, run };
}

export async function ended(child: ChildProcess): Promise<Outcome> {
  const status = new Promise<number | null>((resolve) => child.on('close', resolve));
  const read = (stream: Readable | null) => (stream === null ? Promise.resolve('') : text(stream));
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { status: await status, stdout, stderr };
}
