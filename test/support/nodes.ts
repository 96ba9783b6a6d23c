import { readFileSync } from 'node:fs';
import path from 'node:path';

const { engines } = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8')) as {
  engines: { node: string };
};
const own = process.versions.node.split('.')[0];
/** The Node.js releases in `engines`. A variable such as `NODE_24` has the path of a release's program. This process runs one of the releases. */
const NODES = Array.from(engines.node.matchAll(/(\d+)\.\d+\.\d+/g), ([, release = '']) => ({
  release,
  program: release === own ? process.execPath : process.env[`NODE_${release}`],
}));

/** Adds a test for each Node.js release. The test is skipped if the release is not available. */
export function onEachNode(title: string, body: (program: string) => Promise<void>): void {
  for (const { release, program } of NODES) {
    if (program) it(`${title}, on Node.js ${release}`, () => body(program));
    else
      it.skip(`${title}, on Node.js ${release}, for which NODE_${release} names no program`, () => undefined);
  }
}

/** A `PATH` in which `node` is this program, so that the commands of packages run on it. */
export function pathOf(program: string): string {
  return `${path.dirname(program)}${path.delimiter}${process.env['PATH']}`;
}
