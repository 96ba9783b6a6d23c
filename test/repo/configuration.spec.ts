import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import type { Environment } from '../../src/config/environment.js';
import { readEnvironment } from '../support/read-environment.js';
import { VARIABLES } from '../../src/config/variable.decorators.js';
import { filesIn, read } from './repository.js';

const page = read('docs/configuration.md');
/** The page's table cells by variable, without the families of variables that libraries read: `AWS_*` and `OTEL_*`. */
const rows = new Map(
  [...page.matchAll(/^\| `(?!OTEL_)(\w+)` \|(.*?)\|(.*)\|$/gm)].map(([, name, unset, meaning]) => [
    name as string,
    { unset: unset?.trim() ?? '', meaning: meaning?.trim() ?? '' },
  ]),
);

const families = [...page.matchAll(/^\| `([A-Z]+_)\*` \|/gm)].map(([, prefix = '']) => prefix);
const isInFamily = (name: string) => families.some((prefix) => name.startsWith(prefix));

const development = readEnvironment({});
const production = readEnvironment({ NODE_ENV: 'production', DATABASE_URL: 'postgres://host/formtrail' });

const textOf = (value: string | number | boolean | readonly string[] | object = '') =>
  typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);

function errorOf(name: string): string {
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
      const value = textOf(Reflect.get(development, property));
      const inProduction = textOf(Reflect.get(production, property));
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

  /** The variables whose error messages match, with the part in brackets. */
  const variablesWhose = (pattern: RegExp) =>
    [...VARIABLES.values()].flatMap((name) => {
      const [, part] = pattern.exec(errorOf(name)) ?? [];
      return part === undefined ? [] : [[name, part] as const];
    });

  it.each(variablesWhose(/from (\d+ to \d+),/))('names the limits of %s: %s', (name, limits) => {
    expect(rows.get(name)!.meaning).toContain(limits);
  });

  it.each(variablesWhose(/one of (.*), but is/))('names all values of %s: %s', (name, choices) => {
    const { unset, meaning } = rows.get(name)!;
    for (const choice of choices.split(', ')) expect(unset + meaning).toContain(`\`${choice}\``);
  });
});

describe('.env.example', () => {
  const text = read('.env.example');
  /** The names and values of all variables, as they are written. */
  const written = [...text.matchAll(/^#([A-Z_\d]+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const own = written.filter(([name]) => !isInFamily(name));

  it('has every variable of docs/configuration.md once, in the same order, and of each family at least one', () => {
    expect(own.map(([name]) => name)).toEqual([...rows.keys()]);
    expect(new Set(written.map(([name]) => name)).size).toBe(written.length);
    for (const prefix of families)
      expect(written.filter(([name]) => name.startsWith(prefix))).not.toEqual([]);
  });

  it('has only comments, blank lines and variables that are commented out', () => {
    expect(text.split('\n').filter((line) => !/^(#.*)?$/.test(line))).toEqual([]);
  });

  it('gives the same values to node --env-file and Docker if the variables are set', () => {
    const set = text.replaceAll(/^#(?=[A-Z_\d]+=)/gm, '');
    expect(parseEnv(set)).toEqual(Object.fromEntries(written));
    // Docker Compose interpolates, and removes quotes and comments. "docker run" does neither.
    expect(written.filter(([, value]) => /[$\\\s#]|^["'`]/.test(value))).toEqual([]);
  });

  it.each(own)('describes %s, and gives its default, or an example if it has none: %s', (name, value) => {
    const [, comment = ''] = new RegExp(`^# (.*)\n#${name}=`, 'm').exec(text) ?? [];
    expect(comment).toMatch(/\.$/);
    const [property] = [...VARIABLES].find(([, variable]) => variable === name)!;
    // A URL of the database lets most variables be valid alone, and hides the embedded database.
    const base = { DATABASE_URL: 'postgres://host/formtrail', FILES_URL: 'file:///files' };
    const set = readEnvironment({ ...(name === 'DATABASE_PORT' ? {} : base), [name]: value });
    const valueIn = (environment: Environment) => textOf(Reflect.get(environment, property));
    const isDefault = [development, production].some((defaults) => valueIn(defaults) === valueIn(set));
    expect(comment.startsWith('Example: ')).toBe(!isDefault);
  });
});

it('src reads variables only through the configuration, except NODE_OPTIONS and those of documented families', () => {
  const files = filesIn('src').filter((file) => /(?<!\.spec)\.ts$/.test(file));
  const sources = files.map((file) => read(`src/${file}`));
  const named = sources.flatMap((source) =>
    [...source.matchAll(/(?:process\.env|variables)(?:\.|\[')([A-Z]\w+)|['"]((?:AWS|OTEL)_\w+)['"]/g)].map(
      ([, direct, family]) => direct ?? family ?? '',
    ),
  );
  expect(named).toContain('AWS_ENDPOINT_URL_S3');
  expect(named).toContain('OTEL_TRACES_EXPORTER');
  expect(named.filter((name) => name !== 'NODE_OPTIONS' && !isInFamily(name))).toEqual([]);
});
