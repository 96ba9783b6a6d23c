import { Controller, Get, Module, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../src/server/app.module.js';
import { Public, PUBLIC } from '../src/auth/public.decorator.js';
import { readEnvironment } from '../src/config/environment.js';
import { FixedWindowStorage } from '../src/throttling/rate-limit.storage.js';
import { document } from './support/documented.js';
import { onOneServer } from './support/it-on-one-server.js';
import { openApiFile } from './support/openapi-file.js';
import { sendHttp } from './support/raw.js';
import { newUser } from './support/service.js';
import { startServiceInProcess, useServiceInProcess } from './support/service-in-process.js';

/** The public routes of the specification (section 4) and the contract, the OpenAPI document, and the probes. */
const PUBLIC_ROUTES = [
  'GET /',
  'GET /api/v1/forms',
  'GET /api/v1/forms/:slug/by-slug',
  'GET /api/v1/forms/:uuid',
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
/** Catch-all routes, so that unknown paths are rate-limited too (E3, E4). */
const UNKNOWN_ROUTES = ['/api/v1', '/api/v1/*'];
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

interface Route {
  readonly name: string;
  readonly isPublic: boolean;
}

function routesOf(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method): Route[] => {
    const handler = prototype[method];
    const requestMethod =
      handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || requestMethod === undefined) return [];
    const isPublic = [controller, handler].some((place) => Reflect.getMetadata(PUBLIC, place) === true);
    const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
    const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[];
    return [paths].flat().map((path) => ({
      name: `${RequestMethod[requestMethod]} ${`/${base}/${path}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')}`,
      isPublic,
    }));
  });
}

onOneServer('the routes of the running application', () => {
  const use = useServiceInProcess();

  const controllers = () =>
    [...use.service.app.get(ModulesContainer).values()].flatMap((module) =>
      [...module.controllers.values()].map(({ metatype }) => metatype as Type),
    );

  // A route is never removed or renamed, because clients rely on it (E10).
  it('are those of the specification and no others', () => {
    const routes = controllers().flatMap(routesOf);
    const names = (wanted: (route: Route) => boolean) =>
      routes
        .filter(wanted)
        .map(({ name }) => name)
        .sort();
    expect(names(({ isPublic }) => isPublic)).toEqual(
      [...UNKNOWN_ROUTES.map((path) => `ALL ${path}`), ...PUBLIC_ROUTES].sort(),
    );
    expect(names(({ isPublic }) => !isPublic)).toEqual(GUARDED_ROUTES);
  });

  it('include those of files only if files are enabled (U1)', async () => {
    const without = await startServiceInProcess(use.database, { FILES_URL: '' });
    const tree = without.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    await without.close();
    expect(routesInTree(tree).filter((name) => name.includes('/files'))).toEqual([]);
  });

  it('are all documented, with the token that they need, except those of the documentation', () => {
    const documented = (isGuarded: boolean) =>
      Object.entries(document.paths)
        .flatMap(([path, methods]) =>
          Object.entries(methods)
            .filter(([, { security }]) => security.length > 0 === isGuarded)
            .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
        )
        .sort();
    expect(documented(true)).toEqual(GUARDED_ROUTES);
    expect(documented(false)).toEqual(PUBLIC_ROUTES.filter((name) => !/^GET \/(docs|$)/.test(name)));
  });

  it('are the only routes of the server: only controllers add routes', () => {
    const declared = [...PUBLIC_ROUTES, ...GUARDED_ROUTES].flatMap((name) =>
      name.startsWith('GET ') ? [name, name.replace('GET', 'HEAD')] : [name],
    );
    // CORS adds the OPTIONS route.
    const expected = ['OPTIONS *', ...declared.map((name) => name.replace(/:\w+/g, ':'))];
    const tree = use.service.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    const known = routesInTree(tree).filter((name) => !UNKNOWN_ROUTES.includes(name.replace(/^[A-Z]+ /, '')));
    expect(known.sort()).toEqual(expected.sort());
  });

  it('need a token over HTTP exactly if they declare it', async () => {
    const statuses = async (names: string[]) =>
      Promise.all(
        names.map(async (name) => {
          const [method = '', path = ''] = name.split(' ');
          const target = path.replace(/:\w+/g, '01890000-0000-7000-8000-000000000001');
          return `${name}: ${(await sendHttp(use.service.url, target, { method })).status}`;
        }),
      );
    expect(await statuses(GUARDED_ROUTES)).toEqual(GUARDED_ROUTES.map((name) => `${name}: 401`));
    const refused = (await statuses(PUBLIC_ROUTES)).filter((outcome) => outcome.endsWith('401'));
    expect(refused).toEqual([]);
  });
});

describe('a route that is not declared public', () => {
  @Controller('forgotten')
  class ForgottenController {
    @Get()
    list() {
      return 'secret';
    }

    @Public()
    @Get('public')
    listInPublic() {
      return 'known';
    }
  }

  @Module({})
  class Root {}

  const use = useServiceInProcess();

  it('rejects requests without a valid token', async () => {
    const parts = {
      environment: readEnvironment({ DATABASE_URL: 'postgres://unused' }),
      dataSource: use.database.dataSource,
      listener: use.service.listener,
      openApiFile: openApiFile(),
    };
    const root = {
      module: Root,
      imports: [AppModule.of(parts, new FixedWindowStorage())],
      controllers: [ForgottenController],
    };
    const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), {
      logger: false,
    });
    await app.init();
    const { plainToken } = await newUser(use);
    const statusOf = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode;
    expect(await statusOf('/forgotten')).toBe(401);
    expect(await statusOf('/forgotten/public')).toBe(200);
    expect(await statusOf('/forgotten', { authorization: `Bearer ${plainToken}` })).toBe(200);
    await app.close();
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
