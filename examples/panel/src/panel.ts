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
import { addDownloads, type FileStorage } from './files.js';
import type { PanelResource } from './panel-resource.js';
import { checkRequests } from './requests.js';
import type { ServiceDefinitions } from './publishing/service-definitions.js';
import { withPublishing } from './publishing/forms-with-publishing.js';
import { createTable } from './publishing/prepared-edits.js';
import { fieldTypesResource } from './resources/field-types.js';
import { fieldsResource } from './resources/fields.js';
import { formsResource } from './resources/forms.js';
import { partsOfForms } from './resources/parts-of-forms.js';
import { tokensResource, usersResource } from './resources/people.js';
import { submissionsResource } from './resources/submissions.js';

interface PanelOptions {
  readonly dataSource: DataSource;
  readonly credentials: Credentials;
  /** URL of the renderer, for previews. Undefined: the panel knows none. */
  readonly rendererUrl?: string | undefined;
  readonly theme: 'light' | 'dark';
  /** Addresses of trusted proxies, whose X-Forwarded-Proto tells whether a request used HTTPS. */
  readonly trustProxy: string[];
  /** Address at which clients reach the service, for links to forms. Undefined: the panel knows none. */
  readonly serviceUrl?: string | undefined;
  readonly definitions: ServiceDefinitions;
  /** Environment of the service's command line, which makes the exports. */
  readonly environment: NodeJS.ProcessEnv;
  /** The storage of files. Undefined: the service takes no files, or the panel cannot read them. */
  readonly storage?: FileStorage | undefined;
}

class NoDatabase extends BaseDatabase {
  static override isAdapterFor(): boolean {
    return false;
  }
}

/** Themes of AdminJS, with greys, borders and a red that have enough contrast. */
const THEMES = [
  { ...light, overrides: { colors: { grey60: '#62636F', grey40: '#6B7480' } } },
  {
    ...dark,
    overrides: {
      ...dark.overrides,
      colors: { ...dark.overrides.colors, error: '#FF7A8A', grey40: '#6B7480', inputBorder: '#75747C' },
      borders: { default: '1px solid #45444B', input: '1px solid #75747C' },
    },
  },
];

AdminJS.registerAdapter({ Database: NoDatabase, Resource: EntityResource });

/** Creates the panel, ready to listen, on the database of the data source. */
export async function createPanel(options: PanelOptions): Promise<FastifyInstance> {
  const { dataSource, credentials, rendererUrl, trustProxy, environment, storage } = options;
  await createTable(dataSource);
  const admin = await createAdmin(options);
  const app = fastify({
    // The translations of a large form are saved in one request.
    bodyLimit: 16 * 1024 * 1024,
    trustProxy: trustProxy.length > 0 && trustProxy,
    logger: {
      level: 'error',
      // Log no other properties: database errors contain the parameters of their statement.
      serializers: { err: ({ name, message, stack = '' }) => ({ type: name, message, stack }) },
    },
  });
  explainErrors(app);
  await app.register(helmet, {
    // With no-referrer, browsers send "Origin: null" when they submit the panel's own forms.
    referrerPolicy: { policy: 'same-origin' },
    contentSecurityPolicy: {
      directives: {
        // AdminJS writes its state into the page as an inline script.
        'script-src': [`'self'`, `'unsafe-inline'`],
        'style-src': [`'self'`, `'unsafe-inline'`],
        'font-src': [`'self'`, 'data:'],
        // Previews are pages of the renderer.
        'frame-src': [rendererUrl === undefined ? `'none'` : new URL(rendererUrl).origin],
        'upgrade-insecure-requests': null,
      },
    },
  });
  // Remove the link to a font on another server, which would see who edits forms. The panel also has to work without the internet.
  app.addHook('onSend', async (_, reply, payload) => {
    if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html'))
      return payload;
    // AdminJS names no encoding, and browsers guess it wrong.
    reply.header('content-type', 'text/html; charset=utf-8');
    return payload.replace(/<link [^>]*fonts\.googleapis\.com[^>]*>/, '');
  });
  await addPages(app, admin, credentials, randomBytes(32).toString('base64url'));
  checkRequests(app, admin);
  addExport(app, dataSource, environment);
  addDownloads(app, dataSource, storage);
  app.get('/', (_, reply) => reply.redirect('/admin'));
  return app;
}

async function createAdmin(options: PanelOptions): Promise<AdminJS> {
  const { dataSource, definitions, rendererUrl, serviceUrl, theme, storage } = options;
  // The navigation has the same order.
  const resources = [
    withPublishing(formsResource(dataSource, rendererUrl), dataSource, {
      ...{ definitions, rendererUrl, serviceUrl },
    }),
    ...partsOfForms(dataSource),
    fieldsResource(dataSource),
    fieldTypesResource(dataSource),
    submissionsResource(dataSource, storage !== undefined),
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
  // Prevent the router from bundling the panel's components again.
  process.env['ADMIN_JS_SKIP_BUNDLE'] = 'true';
  return admin;
}

/** Puts nested labels, such as `options.value`, at the top level, because AdminJS looks them up only there. */
function localeOf(resources: readonly PanelResource[]): Locale {
  const texts = resources.map(
    ({ resource: { dataSource, entity }, name, record, labels, actions, messages = {} }) => ({
      id: dataSource.getMetadata(entity).tableName,
      name,
      labels: Object.entries(labels),
      actions: { list: name, ...actions },
      record,
      messages,
    }),
  );
  const nested = texts.flatMap(({ labels }) => labels.filter(([path]) => path.includes('.')));
  return {
    language: 'en',
    availableLanguages: ['en'],
    translations: {
      en: {
        components: {
          Login: {
            welcomeHeader: 'Formtrail',
            welcomeMessage: 'Manage forms and access, and read submissions.',
            properties: { email: 'Email address', password: 'Password' },
            loginButton: 'Log in',
          },
        },
        messages: {
          invalidCredentials: 'The email address or the password is wrong.',
          // AdminJS names its own terms here, or fills in nothing.
          forbiddenError: 'This page does not exist, or this is not possible.',
          error404Resource: 'There is no such page.',
          error404Action: 'It does not exist, or it has been deleted.',
          error404Record: 'It does not exist, or it has been deleted.',
        },
        labels: Object.fromEntries(texts.map(({ id, name }) => [id, name])),
        properties: flat.unflatten(Object.fromEntries(nested)),
        resources: Object.fromEntries(
          texts.map(({ id, record, labels, actions, messages }) => {
            const properties = Object.fromEntries(labels.filter(([path]) => !path.includes('.')));
            return [id, { properties, actions, messages, labels: { record } }];
          }),
        ),
      },
    },
  };
}
