import { filesIn, read } from './repository.js';

/** Most lines of the core, which is src/ without capabilities, specs and migrations. */
const CORE_LINES = 21_550;
/** Most lines of src/ without specs. */
const SOURCE_LINES = 45_900;
const FILE_LINES = 250;

const sizes = filesIn('src')
  .filter((file) => /(?<!\.spec)\.ts$/.test(file))
  .map((file) => ({ file, lines: read(`src/${file}`).split('\n').length - 1 }))
  .toSorted((a, b) => a.file.localeCompare(b.file));

const isMigration = (file: string) => /(^|\/)migrations\//.test(file);
const isCapability = (file: string) => file.startsWith('capabilities/');

const linesOf = (isCounted: (file: string) => boolean) =>
  sizes.reduce((total, { file, lines }) => total + (isCounted(file) ? lines : 0), 0);

it(`the core has at most ${CORE_LINES} lines`, () => {
  expect(linesOf((file) => !isCapability(file) && !isMigration(file))).toBeLessThanOrEqual(CORE_LINES);
});

it(`src/ has at most ${SOURCE_LINES} lines`, () => {
  expect(linesOf(() => true)).toBeLessThanOrEqual(SOURCE_LINES);
});

it(`no file of src/ has more than ${FILE_LINES} lines, apart from specs and migrations`, () => {
  const long = sizes.filter(({ file, lines }) => lines > FILE_LINES && !isMigration(file));
  expect(long).toEqual([]);
});
