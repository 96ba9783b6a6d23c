import { DOCS_STYLES, START_STYLES } from './styles.js';

/** The links of the page at the root, and their addresses below it. They are relative, because a proxy may add a prefix to the path. */
export const LINKS = {
  documentation: 'docs',
  openapi: 'docs-json',
  forms: 'api/v1/forms',
  health: 'health/ready',
};

/** The page at the root, for a person who opens the address that the service prints. */
export const START_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Formtrail</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
    <style>${START_STYLES}
    </style>
  </head>
  <body>
    <h1>Formtrail</h1>
    <p>The form service is running. Programs use it at <code>/api/v1</code>.</p>
    <ul>
      <li><a href="${LINKS.documentation}">Documentation of the API</a>, to read and to try</li>
      <li><a href="${LINKS.openapi}">OpenAPI document</a></li>
      <li><a href="${LINKS.forms}">Active forms</a></li>
      <li><a href="${LINKS.health}">Health</a></li>
    </ul>
  </body>
</html>
`;

/**
 * The page at /docs. All of its links are relative, so that it also works behind a proxy that adds a prefix to the path. It has
 * no inline script, because the service's content security policy would block it.
 */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Formtrail API</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <style>${DOCS_STYLES}
    </style>
  </head>
  <body>
    <div id="api"></div>
    <noscript>This page needs JavaScript; <a href="docs-json">the OpenAPI document</a> does not.</noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Swagger UI opens a document of OpenAPI 3.1 three times slower than one of 3.0, so this page gets the document as 3.0: with `nullable`
 * instead of the type `null`, and with all operations of the document among the paths. Only real paths can be tried.
 *
 * `validatorUrl: null` keeps Swagger UI from sending the document to a validator on the web.
 *
 * Calls go to the URL that the page was loaded from, not to PUBLIC_URL, because the content security policy allows
 * only that URL.
 *
 * The token survives a reload, and is lost when the tab is closed. `persistAuthorization` would store it in
 * localStorage, where the next person at the computer could use it.
 */
export const START_SCRIPT = `// This class makes Swagger UI dark. This page does not have the bar that contains Swagger UI's own switch.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const KEPT_TOKEN = 'formtrail.token';
const service = new URL('.', location.href).href.replace(/\\/$/, '');
const specification = new URL('docs-json', location.href).href;

const asVersion30 = (_, value) =>
  Array.isArray(value?.type) ? { ...value, type: value.type.find((type) => type !== 'null'), nullable: true } : value;
const forThisPage = (text) => {
  const { openapi, info, tags, components, servers, paths, ...sent } = JSON.parse(text, asVersion30);
  const all = Object.assign({}, paths, ...Object.values(sent));
  return JSON.stringify({ openapi: '3.0.3', info, tags, components, paths: all, servers: [{ url: service }] });
};
const tryPaths = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: () => (_, path) => path.startsWith('/'),
      },
    },
  },
});

const keepToken = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (credentials) => {
          sessionStorage.setItem(KEPT_TOKEN, credentials.bearer.value);
          return authorize(credentials);
        },
        logout: (logout) => (schemes) => {
          sessionStorage.removeItem(KEPT_TOKEN);
          return logout(schemes);
        },
      },
    },
  },
});

const page = SwaggerUIBundle({
  url: 'docs-json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
  plugins: [keepToken, tryPaths],
  responseInterceptor: (response) => {
    if (response.url === specification && response.ok) {
      response.text = forThisPage(response.text);
    }
    return response;
  },
  onComplete: () => {
    const token = sessionStorage.getItem(KEPT_TOKEN);
    if (token !== null) page.preauthorizeApiKey('bearer', token);
  },
});
`;
