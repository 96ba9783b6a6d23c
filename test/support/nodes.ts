import { readFileSync } from 'node:fs';
import path from 'node:path';

const { engines } = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8')) as {
  engines: { node: string };
};
const own = process.versions.node.split('.')[0];
/** The releases of Node.js that the packages name, and the program of each: this one, or what NODE_24 and the like name. */
const NODES = Array.from(engines.node.matchAll(/(\d+)\.\d+\.\d+/g), ([, release = '']) => ({
  release,
  program: release === own ? process.execPath : process.env[`NODE_${release}`],
}));

/** A test for each of them; one that is not at hand is skipped by its name. */
export function onEachNode(title: string, body: (program: string) => Promise<void>): void {
  for (const { release, program } of NODES) {
    if (program) it(`${title}, on Node.js ${release}`, () => body(program));
    else
      it.skip(`${title}, on Node.js ${release}, for which NODE_${release} names no program`, () => undefined);
  }
}

/** What a shell finds `node` by, so that commands of packages run on it. */
export function pathOf(program: string): string {
  return `${path.dirname(program)}${path.delimiter}${process.env['PATH']}`;
}
