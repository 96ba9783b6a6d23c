import { Controller, Get, Post, RequestMethod, type Type, UseGuards } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { BearerGuard } from '../src/auth/bearer.guard.js';
import { Public, PUBLIC } from '../src/auth/public.decorator.js';
import { sendHttp } from './support/raw.js';
import { useService } from './support/service.js';

/** The interface as the specification has it (section 4), and the two of the operators. */
const PUBLIC_ROUTES = [
  'GET /api/v1/forms',
  'GET /api/v1/forms/:slug/by-slug',
  'GET /api/v1/forms/:uuid',
  'GET /api/v1/forms/:uuid/schema',
  'GET /health/live',
  'GET /health/ready',
];
const GUARDED_ROUTES = [
  'GET /api/v1/submissions/:uuid',
  'GET /api/v1/submissions/:uuid/conditions',
  'PATCH /api/v1/submissions/:uuid',
  'POST /api/v1/submissions',
  'POST /api/v1/submissions/:uuid/advance',
  'POST /api/v1/submissions/:uuid/retreat',
  'POST /api/v1/submissions/:uuid/values',
];

interface Route {
  readonly name: string;
  readonly isPublic: boolean;
  readonly isGuarded: boolean;
}

function routesOf(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method): Route[] => {
    const handler = prototype[method];
    const requestMethod =
      handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || requestMethod === undefined) return [];
    const places = [controller, handler];
    const guards = places.flatMap(
      (place) => (Reflect.getMetadata(GUARDS_METADATA, place) ?? []) as unknown[],
    );
    const path = places.map((place) => Reflect.getMetadata(PATH_METADATA, place) as string);
    return [
      {
        name: `${RequestMethod[requestMethod]} ${`/${path.join('/')}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')}`,
        isPublic: places.some((place) => Reflect.getMetadata(PUBLIC, place) === true),
        isGuarded: guards.includes(BearerGuard),
      },
    ];
  });
}

/** The routes of these controllers that do not say, or say twice, who may ask them. */
function undeclared(controllers: readonly Type[]): string[] {
  return controllers
    .flatMap(routesOf)
    .filter(({ isPublic, isGuarded }) => isPublic === isGuarded)
    .map(({ name }) => name);
}

describe('the routes of the running application', () => {
  const use = useService();

  const controllers = () =>
    [...use.service.app.get(ModulesContainer).values()].flatMap((module) =>
      [...module.controllers.values()].map(({ metatype }) => metatype as Type),
    );

  it('are each either public or guarded', () => {
    expect(undeclared(controllers())).toEqual([]);
  });

  // E10: a route that a client knows does not go, nor change its name.
  it('are those of the specification and no others', () => {
    const routes = controllers().flatMap(routesOf);
    const names = (wanted: (route: Route) => boolean) =>
      routes
        .filter(wanted)
        .map(({ name }) => name)
        .sort();
    expect(names(({ isPublic }) => isPublic)).toEqual(PUBLIC_ROUTES);
    expect(names(({ isGuarded }) => isGuarded)).toEqual(GUARDED_ROUTES);
  });

  it('are all that the server has: none was added to it behind the back of the controllers', () => {
    const declared = [...PUBLIC_ROUTES, ...GUARDED_ROUTES].flatMap((name) =>
      name.startsWith('GET ') ? [name, name.replace('GET', 'HEAD')] : [name],
    );
    const expected = declared.map((name) => name.replace(/:\w+/, ':'));
    const tree = use.service.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    expect(routesInTree(tree).sort()).toEqual(expected.sort());
  });

  it('do over HTTP what they declare', async () => {
    const statuses = async (names: string[]) =>
      Promise.all(
        names.map(async (name) => {
          const [method = '', path = ''] = name.split(' ');
          const target = path.replace(/:\w+/, '01890000-0000-7000-8000-000000000001');
          return `${name}: ${(await sendHttp(use.service.url, target, { method })).status}`;
        }),
      );
    expect(await statuses(GUARDED_ROUTES)).toEqual(GUARDED_ROUTES.map((name) => `${name}: 401`));
    const refused = (await statuses(PUBLIC_ROUTES)).filter((outcome) => outcome.endsWith('401'));
    expect(refused).toEqual([]);
  });
});

describe('the check on routes', () => {
  it('fails on a controller that declares neither', () => {
    @Controller('open')
    class OpenController {
      @Get()
      list() {}

      @Post(':id/close')
      close() {}

      notARoute() {}
    }
    expect(undeclared([OpenController])).toEqual(['GET /open', 'POST /open/:id/close']);
  });

  it('fails on the one route that was forgotten, also on one that is guarded by something else', () => {
    class OtherGuard {
      canActivate() {
        return true;
      }
    }

    @Controller('half')
    class HalfController {
      @Public()
      @Get('public')
      public() {}

      @UseGuards(BearerGuard)
      @Get('guarded')
      guarded() {}

      @UseGuards(OtherGuard)
      @Get('other')
      other() {}

      @Get('forgotten')
      forgotten() {}
    }
    expect(undeclared([HalfController])).toEqual(['GET /half/other', 'GET /half/forgotten']);
  });

  it('fails on a route that declares both, of which one must be a mistake', () => {
    @Public()
    @UseGuards(BearerGuard)
    @Controller('both')
    class BothController {
      @Get()
      list() {}
    }
    expect(undeclared([BothController])).toEqual(['GET /both']);
  });

  it('accepts what a whole controller declares', () => {
    @Public()
    @Controller('public')
    class PublicController {
      @Get()
      list() {}
    }

    @UseGuards(BearerGuard)
    @Controller('guarded')
    class GuardedController {
      @Get()
      list() {}
    }
    expect(undeclared([PublicController, GuardedController])).toEqual([]);
  });
});

/** Method and path of every route in the tree that Fastify prints; parameters lose their names, which may differ. */
function routesInTree(tree: string): string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indentation = '', segment = '', methods = ''] =
      /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (segment === '') return [];
    const depth = indentation.length / 4;
    const path = (parents[depth - 1] ?? '') + segment.replace(/:[^/]+/, ':');
    parents[depth] = path;
    return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${path}`);
  });
}
