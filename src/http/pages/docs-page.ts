/** The OpenAPI document and a page to browse it, without authentication: the document contains no secrets. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { represent } from '../server/answer/representation.ts';
import { sendJson } from '../server/answer/send-json.ts';

/** Relative links, so that the page also works behind a path prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vexil admin API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. The document itself is <a href="docs/openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Disables the validator badge, which sends the URL of the document to a public server. */
const START = `SwaggerUIBundle({
  url: 'docs/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Allows only same-origin resources and connections, and no frames. Swagger UI needs no inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `describe` makes the document; it is called once, for the first request. */
export function createDocs(describe: () => unknown): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  let document: ReturnType<typeof represent> | undefined;
  router.use('/docs', protect);
  router.get('/docs', (_request, response) => {
    response.type('html').send(PAGE);
  });
  // The relative links of the page would resolve to /docs/docs here.
  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  router.get('/docs/openapi.json', (request, response) => {
    document ??= represent(describe());
    sendJson(response, document, request);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START);
  });
  const assets = findAssets();
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) router.get(`/docs/${file}`, assets(file));
  return router;
}

function protect(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Referrer-Policy', 'no-referrer');
  next();
}

/** Serves a file of the package. The ETag is the version, as all published files have the same modification time. */
function findAssets() {
  const root = assetsFolder();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return (file: string) => (_request: Request, response: Response) => {
    response.setHeader('ETag', `"${version}"`);
    response.sendFile(file, { root, lastModified: false, cacheControl: false });
  };
}

/** In the bundle, the files of the package are next to the program. */
function assetsFolder(): string {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('./swagger-ui', import.meta.url));
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
