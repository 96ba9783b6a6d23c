// Runs oxlint, with types from the compiler that oxlint contains. Arguments are files, or options of oxlint.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const oxlint = path.resolve(createRequire(import.meta.url).resolve('oxlint/package.json'), '../bin/oxlint');
// The panel has a separate node_modules folder. Without it, rules that need types cannot check the panel.
const isPanelInstalled = existsSync(path.join(root, 'examples/panel/node_modules'));
const options = isPanelInstalled ? [] : ['--ignore-pattern=examples/panel/src/'];

const { status } = spawnSync(
  process.execPath,
  [oxlint, '--deny-warnings', ...options, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
