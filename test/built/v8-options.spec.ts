import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, killBuilt, preload, runListening } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { onEachNode } from '../support/nodes.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const MAIN = path.resolve(__dirname, '../../dist/src/main.js');
const OPTIONS = [
  '--heap-growing-percent=20',
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
  '--no-maglev',
];
/** On SIGUSR2, prints the options from the command line and those that the process gave to V8. */
const TELL = preload(`
  import v8 from 'node:v8';
  const set = v8.setFlagsFromString;
  const options = [...process.execArgv];
  v8.setFlagsFromString = (option) => { set(option); options.push(option); };
  process.on('SIGUSR2', () => console.log('options:', options.sort().join(' ')));`);
const WARNING = 'Node.js runs without these options of V8';

let database: TestDatabase;

beforeAll(async () => {
  await build();
  database = await testDatabase();
}, 120_000);

afterAll(() => database.drop());

afterEach(killBuilt);

async function start(node: string, options: string, main = MAIN) {
  return runListening(
    { DATABASE_URL: database.url, NODE_ENV: 'production', NODE_OPTIONS: `${TELL} ${options}` },
    main,
    node,
  );
}

/** Asks the process that was started, so Node.js must have kept the process id. */
async function optionsOf(server: Awaited<ReturnType<typeof start>>): Promise<string | undefined> {
  server.child.kill('SIGUSR2');
  return eventually('the process prints its options', () => /^options: (.*)$/m.exec(server.stdout)?.[1]);
}

describe('a service that is started without options of V8', () => {
  onEachNode('gives them to its own process', async (node) => {
    const server = await start(node, '');
    expect(await optionsOf(server)).toBe(OPTIONS.join(' '));
    expect([server.stderr, server.stdout.includes(WARNING)]).toEqual(['', false]);
  });

  onEachNode('keeps an option that the operator has chosen', async (node) => {
    const server = await start(node, '--max-semi-space-size=32');
    expect(await optionsOf(server)).toBe(OPTIONS.filter((option) => !option.includes('semi')).join(' '));
  });

  onEachNode(
    'serves as a worker of a cluster, and warns if the options have less effect there',
    async (node) => {
      const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-cluster-'));
      const main = path.join(directory, 'primary.mjs');
      const code = `import cluster from 'node:cluster';
      cluster.setupPrimary({ exec: ${JSON.stringify(MAIN)} });
      const worker = cluster.fork();
      process.on('SIGTERM', () => worker.kill());
      worker.on('exit', () => process.exit());`;
      try {
        await writeFile(main, code);
        const server = await start(node, '', main);
        expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
        const release = execFileSync(node, ['--version'], { encoding: 'utf8' });
        expect(server.stdout.includes(WARNING)).toBe(!release.startsWith('v20.'));
        server.child.kill('SIGTERM');
        await server.ended;
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  );
});
