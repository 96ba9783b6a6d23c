import { document } from './support/documented.js';
import { onOneServer } from './support/it-on-one-server.js';
import { sendHttp } from './support/raw.js';
import { useService, withServiceOn } from './support/service.js';

/** The public routes of the contract, the OpenAPI document, and the probes. */
const PUBLIC_ROUTES = [
  'GET /',
  'GET /api/v1/forms',
  'GET /api/v1/forms/:slug/by-slug',
  'GET /api/v1/forms/:uuid',
  'GET /api/v1/forms/:uuid/availability',
  'GET /api/v1/forms/:uuid/challenge',
  'GET /api/v1/forms/:uuid/conditions',
  'GET /api/v1/forms/:uuid/schema',
  'GET /docs',
  'GET /docs-json',
  'GET /docs/*',
  'GET /docs/start.js',
  'GET /health/live',
  'GET /health/ready',
  'POST /api/v1/respondents',
  'POST /api/v1/resume',
];
const GUARDED_ROUTES = [
  'DELETE /api/v1/respondents/me',
  'DELETE /api/v1/submissions/:uuid',
  'DELETE /api/v1/submissions/:uuid/files/:file',
  'DELETE /api/v1/submissions/:uuid/records/:id',
  'GET /api/v1/submissions',
  'GET /api/v1/submissions/:uuid',
  'GET /api/v1/submissions/:uuid/conditions',
  'GET /api/v1/submissions/:uuid/files',
  'GET /api/v1/submissions/:uuid/files/:file',
  'GET /api/v1/submissions/:uuid/files/:file/content',
  'GET /api/v1/submissions/:uuid/records',
  'GET /api/v1/submissions/:uuid/validation',
  'PATCH /api/v1/submissions/:uuid',
  'POST /api/v1/resume-codes',
  'POST /api/v1/submissions',
  'POST /api/v1/submissions/:uuid/advance',
  'POST /api/v1/submissions/:uuid/files',
  'POST /api/v1/submissions/:uuid/files/:file/commit',
  'POST /api/v1/submissions/:uuid/records',
  'POST /api/v1/submissions/:uuid/retreat',
  'POST /api/v1/submissions/:uuid/values',
  'PUT /api/v1/submissions/:uuid/files/:file/content',
];

onOneServer('the routes of the running application', () => {
  const use = useService();

  // A route is never removed or renamed, because clients rely on it (E10).
  it('are those of the contract and no others', async () => {
    // Catch-all routes, so that unknown paths are rate-limited too (E3, E4).
    const routes = routesInTree(await use.service.routes()).filter(
      (name) => !/ \/api\/v1(\/\*)?$/.test(name),
    );
    const declared = [...PUBLIC_ROUTES, ...GUARDED_ROUTES].flatMap((name) =>
      name.startsWith('GET ') ? [name, name.replace('GET', 'HEAD')] : [name],
    );
    // CORS adds the OPTIONS route.
    const expected = ['OPTIONS *', ...declared.map((name) => name.replace(/:\w+/g, ':'))];
    expect(routes.toSorted()).toEqual(expected.toSorted());
  });

  it('include those of files only if files are enabled (U1)', () =>
    withServiceOn(use.database, { FILES_URL: '' }, async (service) => {
      expect(routesInTree(await service.routes()).filter((name) => name.includes('/files'))).toEqual([]);
    }));

  it('are all documented, with the token that they need, except those of the documentation', () => {
    const documented = (isGuarded: boolean) =>
      Object.entries(document.paths)
        .flatMap(([path, methods]) =>
          Object.entries(methods)
            .filter(([, { security }]) => security.length > 0 === isGuarded)
            .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
        )
        .toSorted();
    expect(documented(true)).toEqual(GUARDED_ROUTES);
    expect(documented(false)).toEqual(PUBLIC_ROUTES.filter((name) => !/^GET \/(docs|$)/.test(name)));
  });

  // No route declares that it needs a token: each route does, unless it is declared public.
  it('need a token over HTTP exactly if they are not public', async () => {
    const rejected = async (names: string[]) => {
      const statuses = names.map(async (name) => {
        const [method = '', path = ''] = name.split(' ');
        const target = path.replace(/:\w+/g, '01890000-0000-7000-8000-000000000001');
        return (await sendHttp(use.service.url, target, { method })).status;
      });
      const answers = await Promise.all(statuses);
      return names.filter((_, index) => answers[index] === 401);
    };
    expect(await rejected([...GUARDED_ROUTES, ...PUBLIC_ROUTES])).toEqual(GUARDED_ROUTES);
  });
});

/** Returns method and path of every route in the tree that Fastify prints, with `:` for each parameter. */
function routesInTree(tree: string): string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indentation = '', segment = '', methods = ''] =
      /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (segment === '') return [];
    const depth = indentation.length / 4;
    const path = (parents[depth - 1] ?? '') + segment.replace(/:[^/]+/, ':');
    parents[depth] = path;
    return methods === ''
      ? []
      : methods.split(', ').map((method) => `${method} ${path.replace(/(?<=\w)\*$/, '/*')}`);
  });
}
