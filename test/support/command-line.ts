import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Service, startService } from './service.js';
import { testDatabase } from './test-database.js';

const CLI = path.resolve(__dirname, '../../dist/src/cli.js');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly databaseUrl: string;
  /** The working directory of commands. */
  readonly directory: string;
}

export type CommandLine = ReturnType<typeof commandLine>;

let isHostBusy = false;

/** Runs a command in the host process, which executes one command at a time. */
async function runInHost(command: object): Promise<Outcome> {
  isHostBusy = true;
  try {
    return JSON.parse(await globalThis.worker.runCommand(command)) as Outcome;
  } finally {
    isHostBusy = false;
  }
}

/**
 * Provides the built command line, without the environment of this process. `start` runs a command in its own process. `run` does so only if the host process is busy or cannot run the command.
 */
export function commandLine({ databaseUrl, directory }: Surroundings) {
  const environment = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    ...variables,
  });
  const start = (
    words: readonly string[],
    variables: NodeJS.ProcessEnv = {},
    options: SpawnOptions = {},
  ): ChildProcess =>
    spawn(process.execPath, [CLI, ...words], { cwd: directory, env: environment(variables), ...options });
  const run = async (
    words: readonly string[],
    variables: NodeJS.ProcessEnv = {},
    input = '',
    isTerminal = false,
  ): Promise<Outcome> => {
    if (!isHostBusy && words[0] !== 'serve' && !('NODE_OPTIONS' in variables)) {
      return runInHost({ words, variables: environment(variables), input, isTerminal, directory });
    }
    const child = start(words, variables);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    return ended(child);
  };
  return { start, run };
}

export type OpenCommandLine = Awaited<ReturnType<typeof openCommandLine>>;

/** Gives the command line its own folder and database. `close` deletes both. */
export async function openCommandLine() {
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-cli-'));
  const database = await testDatabase();
  const close = async () => {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { ...commandLine({ databaseUrl: database.url, directory }), database, directory, close };
}

/**
 * Gives the spec file a command line with its own folder and database. With `variables`, a service with these variables
 * uses the same database.
 */
export function useCommandLine(variables?: Record<string, string>) {
  let line: CommandLine;
  const use = {
    run: (...parameters: Parameters<CommandLine['run']>) => line.run(...parameters),
    start: (...parameters: Parameters<CommandLine['start']>) => line.start(...parameters),
  } as OpenCommandLine & { service: Service };
  beforeAll(async () => {
    const { run, start, ...others } = await openCommandLine();
    line = { run, start };
    Object.assign(use, others);
    if (variables !== undefined) use.service = await startService(use.database, variables);
  }, 120_000);
  afterAll(async () => {
    if (variables !== undefined) await use.service.close();
    await use.close();
  });
  return use;
}

export async function ended(child: ChildProcess): Promise<Outcome> {
  const status = new Promise<number | null>((resolve) => child.on('close', resolve));
  const read = (stream: Readable | null) => (stream === null ? Promise.resolve('') : text(stream));
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { status: await status, stdout, stderr };
}
