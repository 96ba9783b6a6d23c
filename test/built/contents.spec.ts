import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from '../support/built-service.js';

const ROOT = path.resolve(__dirname, '../..');

interface Packed {
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let directory: string;
let packed: Packed;

beforeAll(async () => {
  await build();
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-package-'));
  // Run no scripts, because the package is already built.
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await promisify(execFile)('npm', words, { cwd: ROOT });
  [packed] = JSON.parse(stdout) as [Packed];
}, 120_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the package', () => {
  const paths = () => packed.files.map(({ path: file }) => file);

  it('contains the built service, the example forms, the schemas and the documentation, and nothing else', () => {
    const rest = paths().filter((file) => !/^dist\/src\/.*\.(js|d\.ts|js\.map)$/.test(file));
    expect(rest.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'conditions-vectors.json',
      'dist/openapi.json',
      ...['event-registration', 'job-application', 'patient-intake', 'travel-expense-claim'].map(
        (form) => `examples/forms/${form}.json`,
      ),
      'form-definition.schema.json',
      'package.json',
    ]);
    expect(paths()).toEqual(
      expect.arrayContaining(['dist/src/main.js', 'dist/src/cli.js', 'dist/src/entities.d.ts']),
    );
  });

  it('contains only modules that the compiler made from a source', () => {
    const modules = paths().filter((file) => file.endsWith('.js'));
    const sources = modules.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts'));
    expect(sources.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
    expect(modules.length).toBeGreaterThan(200);
  });

  it('contains no tests, and is small', () => {
    expect(paths().filter((file) => /\.spec\.|(^|\/)tests?\/|\.tsbuildinfo$/.test(file))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(5.5 * 2 ** 20);
  });

  it('has source maps that contain the sources', async () => {
    const maps = paths().filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(100);
    for (const file of maps) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8'));
      expect([file, sourcesContent.map((text: unknown) => typeof text)]).toEqual([
        file,
        sources.map(() => 'string'),
      ]);
    }
  });

  it('contains all files that its manifest names', async () => {
    const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    const named = JSON.stringify([manifest.exports, manifest.typesVersions, manifest.bin ?? {}]);
    const targets = [...named.matchAll(/:\[?"(?:\.\/)?((?:dist\/|package)[^"]*)"/g)].map(([, file]) => file);
    expect(targets.length).toBeGreaterThanOrEqual(4);
    expect(targets.filter((file) => !paths().includes(file!))).toEqual([]);
  });

  it('names its repository, which provenance requires', async () => {
    expect(JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/formtrail/formtrail.git' },
      publishConfig: { access: 'public', provenance: true },
    });
  });
});
