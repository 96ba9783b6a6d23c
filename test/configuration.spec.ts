import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, readEnvironment } from '../src/config/environment.js';
import { VARIABLES } from '../src/config/variable.decorators.js';

const page = readFileSync(path.resolve(__dirname, '../docs/configuration.md'), 'utf8');
/** The page's table cells by variable. Omits `OTEL_*` variables, because OpenTelemetry reads them, not our code. */
const rows = new Map(
  [...page.matchAll(/^\| `(?!OTEL_)(\w+)` \|(.*?)\|(.*)\|$/gm)].map(([, name, unset, meaning]) => [
    name as string,
    { unset: unset?.trim() ?? '', meaning: meaning?.trim() ?? '' },
  ]),
);

const development = readEnvironment({});
const production = readEnvironment({ NODE_ENV: 'production', DATABASE_URL: 'postgres://host/formtrail' });

const textOf = (value: string | number | boolean | readonly string[] | object = '') =>
  typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);

function expectedOf(name: string): string {
  try {
    readEnvironment({ [name]: '!' });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('docs/configuration.md', () => {
  it('lists every variable that the service reads, and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual([...VARIABLES.values()].toSorted());
  });

  it.each([...VARIABLES].filter(([property]) => property !== 'production'))(
    'names the default of %s (%s)',
    (property, name) => {
      const value = textOf(development[property as keyof Environment]);
      const inProduction = textOf(production[property as keyof Environment]);
      const { unset } = rows.get(name)!;
      if (value === '') expect(unset).not.toContain('`');
      else if (['MIGRATE_ON_START', 'WEBHOOKS'].includes(name))
        expect(unset).toBe(`\`${value}\` for the embedded database, else \`${inProduction}\``);
      else if (name === 'FILES_URL') {
        expect(value).toBe(pathToFileURL(path.resolve(development.dataDir, 'files')).href);
        expect(unset).toBe('`files` in `DATA_DIR` for the embedded database, else none');
      } else if (name === 'USER_STORAGE') {
        expect(readEnvironment({ [name]: unset.replaceAll('`', '') }).userStorage).toEqual(
          development.userStorage,
        );
      } else if (value === inProduction) expect(unset).toBe(`\`${value}\``);
      else expect(unset).toBe(`\`${inProduction}\` in production, else \`${value}\``);
    },
  );

  const limited = [...VARIABLES.values()].flatMap((name) => {
    const [, limits] = /from (\d+ to \d+),/.exec(expectedOf(name)) ?? [];
    return limits === undefined ? [] : [[name, limits] as const];
  });
  it.each(limited)('names the limits of %s: %s', (name, limits) => {
    expect(rows.get(name)!.meaning).toContain(limits);
  });

  const chosen = [...VARIABLES.values()].flatMap((name) => {
    const [, choices] = /one of (.*), but is/.exec(expectedOf(name)) ?? [];
    return choices === undefined ? [] : [[name, choices] as const];
  });
  it.each(chosen)('names all values of %s: %s', (name, choices) => {
    const { unset, meaning } = rows.get(name)!;
    for (const choice of choices.split(', ')) expect(unset + meaning).toContain(`\`${choice}\``);
  });
});
