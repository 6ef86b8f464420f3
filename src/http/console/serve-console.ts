/** The console: its pages, their assets, the sessions of its users. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { REVALIDATE, varyBy } from '../server/answer/caching.ts';
import { unreadAnswers } from '../server/answer/unread-answers.ts';
import { createSessionRoutes, type SessionRoutesParts } from './session-routes.ts';

/** The paths of pages, which answer the same document. Other paths answer it to browsers with 404. */
const PAGES = [
  '/',
  '/login',
  '/projects/:projectId',
  '/projects/:projectId/changes',
  '/projects/:projectId/compare',
  '/projects/:projectId/settings',
  '/projects/:projectId/access',
  '/projects/:projectId/features/:featureName',
  '/projects/:projectId/features/:featureName/strategies/edit',
  '/environments',
  '/segments',
  '/segments/create',
  '/segments/edit/:segmentId',
  '/playground',
  '/strategies',
  '/strategies/create',
  '/strategies/:name/edit',
  '/applications',
  '/applications/:name',
  '/reports/stale',
  '/events',
  '/archive',
  '/tokens',
  '/change-requests',
  '/notifications',
  '/import-export',
];

/** No exceptions: no inline script or style, no other host, no text that becomes code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'X-Frame-Options': 'DENY',
};

/** Cached for good, because the names of assets contain the hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export function createConsole(parts: SessionRoutesParts): readonly RequestHandler[] {
  const sessions = createSessionRoutes(parts);
  const built = readBuild(buildFolder());
  if (built) return [sessions, createPages(built)];
  parts.logger.warn({ folder: buildFolder() }, 'console: not built');
  return [sessions];
}

interface Build {
  /** The document of every page. */
  readonly shell: string;
  /** The assets by file name. */
  readonly assets: ReadonlyMap<string, Asset>;
}

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

function createPages({ shell, assets }: Build): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/assets/:file', (request, response, next) => {
    const asset = assets.get(`${request.params['file']}`);
    if (!asset) return next();
    response.set(HEADERS).set({ 'Cache-Control': IMMUTABLE, 'Content-Type': asset.type, Vary: 'Accept-Encoding' });
    const isPacked = /\bbr\b/.test(`${request.headers['accept-encoding']}`);
    if (isPacked) response.setHeader('Content-Encoding', 'br');
    unreadAnswers.end(response, isPacked ? asset.brotli : asset.plain);
  });
  const sendPage = (request: Request, response: Response) => {
    response.set(HEADERS).set({ 'Cache-Control': REVALIDATE, 'Content-Type': 'text/html; charset=utf-8' });
    response.end(shell.replaceAll('"./assets/', `"${rootFrom(request.path)}assets/`));
  };
  router.get(PAGES, sendPage);
  // The last router: the page says that nothing is here. Programs get the error in JSON.
  router.use((request, response, next) => {
    if (!['GET', 'HEAD'].includes(request.method)) return next();
    varyBy(response, 'Accept');
    if (isOfProgram(request.path) || request.accepts(['json', 'html']) !== 'html') return next();
    sendPage(request, response.status(404));
  });
  return router;
}

/** Addresses that no person opens; a wrong asset must not look like a page. */
function isOfProgram(path: string): boolean {
  return /^\/(api|assets|auth|edge)\//.test(path);
}

/** The relative path from a page to the root, because only the browser knows a path prefix in front of it. */
function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

/** In the bundle, the files are next to the program; the sources use the output of scripts/console/main.ts. */
function buildFolder(): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../../.cache/console' : './console';
  return fileURLToPath(new URL(folder, import.meta.url));
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Undefined if there is no build. */
function readBuild(folder: string): Build | undefined {
  try {
    const shell = readFileSync(join(folder, 'index.html'), 'utf8');
    const files = readdirSync(join(folder, 'assets')).filter((file) => !file.endsWith('.br'));
    const read = (file: string) => readFileSync(join(folder, 'assets', file));
    const assets = files.map((file): [string, Asset] => [
      file,
      { type: TYPES[extname(file)] ?? 'application/octet-stream', plain: read(file), brotli: read(`${file}.br`) },
    ]);
    return { shell, assets: new Map(assets) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
