/**
 * The page at /docs. All of its links are relative, so that it also works where a proxy adds a prefix to the path,
 * and it has no inline script, which the service's content security policy would refuse.
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
    <style>body { margin: 0 }</style>
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
 * `validatorUrl: null`: nothing is sent to a validator on the web.
 *
 * Calls go to where the page came from, whatever PUBLIC_URL says: the content security policy lets it reach nothing else.
 *
 * The token survives a reload and ends with the tab. `persistAuthorization` would keep it in localStorage, where it would
 * wait for the next person at the same computer.
 */
export const START_SCRIPT = `// The class by which Swagger UI's own switch, in a bar that is not on this page, turns its colours dark.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const KEPT_TOKEN = 'formtrail.token';
const service = new URL('.', location.href).href.replace(/\\/$/, '');
const specification = new URL('docs-json', location.href).href;

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
  plugins: [keepToken],
  responseInterceptor: (response) => {
    if (response.url === specification && response.ok) {
      response.text = JSON.stringify({ ...JSON.parse(response.text), servers: [{ url: service }] });
    }
    return response;
  },
  onComplete: () => {
    const token = sessionStorage.getItem(KEPT_TOKEN);
    if (token !== null) page.preauthorizeApiKey('bearer', token);
  },
});
`;
