/** Finds endpoints by the length and the first segment of the path: Express tries all endpoints of a router in turn. */
import express, { type NextFunction, type Request, type Response, type Router } from 'express';

/** The endpoints of an API, in routers of few endpoints each. */
export interface RouteTable {
  /** The router for endpoints with this template. Throws if its first segment or its length can vary. */
  routerFor(template: string): Router;
  /** Passes the request to the only router that can have its endpoint. A router would answer OPTIONS itself. */
  handle(request: Request, response: Response, next: NextFunction): void;
}

export function createRouteTable(): RouteTable {
  const routers = new Map<string, Router>();
  return {
    routerFor(template) {
      if (!/^\/\w[^*{]*$/.test(template)) throw new Error(`${template} must begin with a name and have a fixed length`);
      const key = keyOf(template);
      const router = routers.get(key) ?? express.Router({ caseSensitive: true });
      routers.set(key, router);
      return router;
    },
    handle(request, response, next) {
      const router = request.method === 'OPTIONS' ? undefined : routers.get(keyOf(request.path));
      if (router) router(request, response, next);
      else next();
    },
  };
}

/** Express ignores one slash at the end. */
function keyOf(path: string): string {
  const segments = path.split('/');
  if (segments.at(-1) === '') segments.pop();
  return `${segments.length} ${segments[1]}`;
}
