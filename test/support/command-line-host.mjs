// Executes commands of the built command line one at a time in one process, because loading the program takes longer
// than most commands. Each command gets its own streams, variables and working directory.
import 'reflect-metadata';
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../dist/src/cli/run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// Commands replace `process.exit`.
process.once('disconnect', process.exit.bind(process, 0));

process.on('message', ({ id, request: { words, variables, input, isTerminal, directory } }) => {
  const printed = { stdout: '', stderr: '' };
  const stand = (stream, value) => Object.defineProperty(process, stream, { value, configurable: true });
  for (const stream of Object.keys(printed)) {
    const write = (chunk, _encoding, done) => {
      printed[stream] += chunk;
      done();
    };
    stand(stream, new Writable({ write, decodeStrings: false }));
  }
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  stand('stdin', Object.assign(stdin, { isTTY: isTerminal }));
  process.env = variables;
  process.chdir(directory);

  let exited;
  // Nothing may run after an exit, so the error ends the command.
  process.exit = (status) => {
    exited ??= { status, ...printed };
    throw new Error('exit');
  };
  void run([process.execPath, 'formtrail', ...words], ROOT).then((status) =>
    process.send({ id, response: JSON.stringify(exited ?? { status, ...printed }) }),
  );
});
