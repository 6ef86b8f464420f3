/** The admin API as a whole: its pages, its application, its socket. */
import { randomUUID } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import type { Logger } from '../telemetry/logger.ts';
import { allowAnyone, requireToken } from './authenticate.ts';
import { bodyReader } from './body.ts';
import { createDocs } from './docs-page.ts';
import { createListener, type Listener } from './listen.ts';
import { describeApi } from './openapi/describe-api.ts';
import { createPages } from './pages.ts';
import type { Services } from './route.ts';
import { routes, sections } from './routes/all.ts';
import { type AnsweredRequest, createServer } from './server.ts';

export interface ApiParts
  extends Pick<Services, 'flags' | 'projects' | 'environments' | 'severalNamespaces' | 'home' | 'ending'> {
  readonly catalog: Catalog;
  readonly strategies: Services['strategyTypes'];
  /** Of Vexil, for the API document. */
  readonly version: string;
  readonly isReady: () => boolean;
  readonly logger: Logger;
  readonly observe: (answered: AnsweredRequest) => void;
  /** none: everyone may do everything. */
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  readonly host: string | undefined;
  readonly port: number;
  readonly bodyLimitBytes: number;
  /** Serve callers on this machine only. */
  readonly localOnly: boolean;
}

export function createApi(parts: ApiParts): Listener {
  const { catalog, flags, projects, environments, strategies, severalNamespaces, home, ending } = parts;
  const { auth, adminToken } = parts;
  const kinds = { flags, projects, environments, strategyTypes: strategies };
  const known = { ...kinds, catalog, severalNamespaces, home, ending };
  const services: Services = { ...known, pages: createPages(catalog), newId: randomUUID };
  const authenticate = auth === 'none' ? allowAnyone : requireToken(adminToken);
  const readBody = bodyReader(parts.bodyLimitBytes);
  const docs = createDocs(() => describeApi(sections, parts.version));
  const answer = createServer({ ...parts, routes, services, authenticate, readBody, docs });
  return createListener({ ...parts, answer });
}
