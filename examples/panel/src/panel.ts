import { randomBytes } from 'node:crypto';
import { dark, light } from '@adminjs/themes';
import helmet from '@fastify/helmet';
import AdminJS, { BaseDatabase, flat, type Locale } from 'adminjs';
import { fastify, type FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import { addPages, type Credentials } from './access.js';
import { EntityResource } from './adapter/entity-resource.js';
import { COMPONENTS, componentLoader } from './components.js';
import { explainErrors } from './errors.js';
import { addExport } from './export.js';
import type { PanelResource } from './panel-resource.js';
import { checkRequests } from './requests.js';
import { fieldsResource, fieldTypesResource } from './resources/fields.js';
import { formsResource, partsOfForms } from './resources/forms.js';
import { tokensResource, usersResource } from './resources/people.js';
import { submissionsResource } from './resources/submissions.js';

interface PanelOptions {
  readonly dataSource: DataSource;
  readonly credentials: Credentials;
  /** Where the renderer is, for previews. */
  readonly rendererUrl: string;
  readonly theme: 'light' | 'dark';
  /** Addresses of proxies whose X-Forwarded-Proto says whether a request came by https. */
  readonly trustProxy: string[];
  /** For the command line, which exports. */
  readonly environment: NodeJS.ProcessEnv;
}

class NoDatabase extends BaseDatabase {
  static override isAdapterFor(): boolean {
    return false;
  }
}

/** Those of AdminJS, with greys and a red that stand out as WCAG asks. */
const THEMES = [
  { ...light, overrides: { colors: { grey60: '#62636F', grey40: '#6B7480' } } },
  { ...dark, overrides: { ...dark.overrides, colors: { ...dark.overrides.colors, error: '#FF7A8A' } } },
];

AdminJS.registerAdapter({ Database: NoDatabase, Resource: EntityResource });

/** The panel, ready to listen. It writes what the entities describe, in the database of the data source. */
export async function createPanel(options: PanelOptions): Promise<FastifyInstance> {
  const { dataSource, credentials, trustProxy, environment } = options;
  const admin = await createAdmin(options);
  const app = fastify({
    trustProxy: trustProxy.length > 0 && trustProxy,
    logger: {
      level: 'error',
      // No more of it: errors of the database carry the parameters of their statement.
      serializers: { err: ({ name, message, stack = '' }) => ({ type: name, message, stack }) },
    },
  });
  explainErrors(app);
  await app.register(helmet, {
    // With no-referrer, browsers would say "Origin: null" where the panel's own forms are sent.
    referrerPolicy: { policy: 'same-origin' },
    contentSecurityPolicy: {
      directives: {
        // AdminJS writes its state into the page as a script.
        'script-src': [`'self'`, `'unsafe-inline'`],
        'style-src': [`'self'`, `'unsafe-inline'`],
        'font-src': [`'self'`, 'data:'],
        'upgrade-insecure-requests': null,
      },
    },
  });
  // No font of another server: who edits forms is nobody's business, and the panel works without the internet.
  app.addHook('onSend', async (_, reply, payload) =>
    typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
      ? payload.replace(/<link [^>]*fonts\.googleapis\.com[^>]*>/, '')
      : payload,
  );
  await addPages(app, admin, credentials, randomBytes(32).toString('base64url'));
  checkRequests(app, admin);
  addExport(app, dataSource, environment);
  app.get('/', (_, reply) => reply.redirect('/admin'));
  return app;
}

async function createAdmin({ dataSource, rendererUrl, theme }: PanelOptions): Promise<AdminJS> {
  // In the order of the navigation.
  const resources = [
    formsResource(dataSource, rendererUrl),
    ...partsOfForms(dataSource),
    fieldsResource(dataSource),
    fieldTypesResource(dataSource),
    submissionsResource(dataSource),
    usersResource(dataSource),
    tokensResource(dataSource),
  ];
  const admin = new AdminJS({
    rootPath: '/admin',
    loginPath: '/admin/login',
    logoutPath: '/admin/logout',
    resources: resources.map(({ resource, options }) => ({ resource, options })),
    dashboard: { component: COMPONENTS.Dashboard },
    componentLoader,
    locale: localeOf(resources),
    branding: { companyName: 'Formtrail', logo: false, favicon: 'data:,', withMadeWithLove: false },
    availableThemes: THEMES,
    defaultTheme: theme,
    settings: { defaultPerPage: 25 },
  });
  await admin.initialize();
  // Once is enough; the router would bundle again.
  process.env['ADMIN_JS_SKIP_BUNDLE'] = 'true';
  return admin;
}

/** AdminJS looks up labels of columns within columns, such as `options.value`, at the top only. */
function localeOf(resources: readonly PanelResource[]): Locale {
  const words = resources.map(
    ({ resource: { dataSource, entity }, name, labels, actions, messages = {} }) => ({
      id: dataSource.getMetadata(entity).tableName,
      name,
      labels: Object.entries(labels),
      actions: { list: name, ...actions },
      messages,
    }),
  );
  const nested = words.flatMap(({ labels }) => labels.filter(([path]) => path.includes('.')));
  return {
    language: 'en',
    availableLanguages: ['en'],
    translations: {
      en: {
        components: {
          Login: {
            welcomeHeader: 'Formtrail',
            welcomeMessage: 'Forms, access to them, and what was submitted.',
          },
        },
        labels: Object.fromEntries(words.map(({ id, name }) => [id, name])),
        properties: flat.unflatten(Object.fromEntries(nested)),
        resources: Object.fromEntries(
          words.map(({ id, labels, actions, messages }) => {
            const properties = Object.fromEntries(labels.filter(([path]) => !path.includes('.')));
            return [id, { properties, actions, messages }];
          }),
        ),
      },
    },
  };
}
