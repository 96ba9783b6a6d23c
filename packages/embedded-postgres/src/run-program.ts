import { spawn } from 'node:child_process';

export interface Outcome {
  /** Null if a signal ended the program. */
  code: number | null;
  output: string;
}

export interface ProgramOptions {
  cwd?: string;
  uid?: number;
  gid?: number;
}

/** Runs a program until it ends, and returns the last 64 KiB of its output. Rejects only if the program cannot be started. */
export function runProgram(file: string, args: string[], options: ProgramOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...options,
      env: programEnvironment(process.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-64 * 1024);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * Returns the environment without variables that would configure PostgreSQL (PGPORT, PGDATA, PGOPTIONS …), and without the
 * service's secrets, because the server may outlive this process.
 */
export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept =
    /^(PATH|PATHEXT|HOME|TMPDIR|TEMP|TMP|TZ|LD_LIBRARY_PATH|SYSTEM.*|WINDIR|COMSPEC|USER.*|APPDATA|LOCALAPPDATA)$/i;
  const entries = Object.entries(env).filter(([name]) => kept.test(name));
  return { ...Object.fromEntries(entries), LC_ALL: 'C' };
}
