/**
 * The page at /docs. All of its links are relative, so that it also works where a proxy adds a prefix to the path,
 * and it has no inline script, which the service's content security policy would refuse.
 */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
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

/** `validatorUrl: null`: nothing is sent to a validator on the web. */
export const START_SCRIPT = `SwaggerUIBundle({
  url: 'docs-json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;
