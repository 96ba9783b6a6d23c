import { VARIABLES } from '../../src/config/variable.decorators.js';
import '../../src/config/environment.js';
import { allFieldErrors, allProblems } from '../../src/server/catalogue.js';
import { document } from '../support/documented.js';
import { CONTRACT, filesIn, read, rulesIn } from './repository.js';

const FIELD_ERRORS = allFieldErrors();
const PROBLEMS = allProblems();

/** The text of each spec that `npm test` runs. */
const quick = ['src', 'test', 'clients']
  .flatMap((folder) => filesIn(folder).map((name) => `${folder}/${name}`))
  .filter((name) => /(?<!\.long)\.spec\.ts$/.test(name))
  .filter((name) => !/^test\/(browser|built|faults|ha|repo)\//.test(name))
  .map((name) => ({ name, text: read(name) }));

/** Returns the names for which no quick spec, other than a spec that only lists names, has a match. */
const missing = (names: readonly string[], patternOf: (name: string) => RegExp, lists: RegExp) =>
  names.filter((name) => !quick.some((spec) => !lists.test(spec.name) && patternOf(name).test(spec.text)));

/**
 * The operations that quick specs request, as in `GET /api/v1/forms/{}`. A path may begin with a variable: its name says
 * whether it is the path of a form, of a file, or of a submission.
 */
const requested = new Set(
  quick.flatMap(({ text }) =>
    [
      ...text.matchAll(/\.(get|post|patch|delete|send)\(\s*(?:'(\w+)',\s*)?(`[^`]*`|'[^']*'|[\w.!]+)/g),
      ...text.matchAll(/\[()\s*'(GET|POST|PUT|PATCH|DELETE)',\s*(`[^`]*`|'[^']*')/g),
    ].map(([, call = '', method = call, target = '']) => `${method.toUpperCase()} ${pathOf(target)}`),
  ),
);

function pathOf(target: string): string {
  const path = /^[`']/.test(target) ? target.slice(1, -1).replace(/\?.*$/, '') : `\${${target}}`;
  return path
    .replace(/^\$\{([^}]*)\}(?=\/|$)/, (_, variable: string) => {
      if (/form/i.test(variable)) return '/api/v1/forms/{}';
      return /file/i.test(variable) ? '/api/v1/submissions/{}/files/{}' : '/api/v1/submissions/{}';
    })
    .replace(/\$\{search\}$/, '')
    .replace(/\$\{[^}]*\}/g, '{}');
}

describe('a spec of "npm test" proves', () => {
  it('every rule of the contract: a title or a comment has its id, as in "(S7)" or "S7: …"', () => {
    const patternOf = (rule: string) => new RegExp(`[(\`'",/* ]${rule}(?=[),:]| and | to )`);
    expect(missing(CONTRACT.map(read).flatMap(rulesIn), patternOf, /^$/)).toEqual([]);
  });

  it('every route of the OpenAPI document: a spec sends a request to it', () => {
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
    );
    expect(routes.filter((route) => !requested.has(route))).toEqual([]);
  });

  it('every code of a problem or a field error', () => {
    const codes = Object.keys({ ...PROBLEMS, ...FIELD_ERRORS });
    expect(missing(codes, (code) => new RegExp(`['"\`]${code}['"\`]|\\b${code}: `), /^$/)).toEqual([]);
  });

  it('every variable of the configuration', () => {
    expect(missing([...VARIABLES.values()], (name) => new RegExp(`\\b${name}\\b`), /^$/)).toEqual([]);
  });
});
