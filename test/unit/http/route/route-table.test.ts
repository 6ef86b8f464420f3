/** Endpoints are found by the length and the first segment of the path. */
import type { NextFunction, Request, Response } from 'express';
import { expect, test } from 'vitest';
import { createRouteTable } from '../../../../src/http/route/route-table.ts';

function foundBy(templates: readonly string[], method: string, url: string): Promise<string> {
  const table = createRouteTable();
  return new Promise((resolve) => {
    for (const template of templates) table.routerFor(template).get(template, () => resolve(template));
    const next: NextFunction = () => resolve('the next handler');
    table.handle({ method, url, path: url.split('?')[0] } as Request, {} as Response, next);
  });
}

const templates = ['/projects/:id', '/projects/validate', '/projects/:id/features', '/state/export'];

test.each([
  ['GET', '/projects/shop', '/projects/:id'],
  ['GET', '/projects/shop/', '/projects/:id'],
  ['GET', '/projects/a%2Fb?x=/y/z', '/projects/:id'],
  ['HEAD', '/projects/shop/features', '/projects/:id/features'],
  ['GET', '/state/export', '/state/export'],
  ['GET', '/state/other', 'the next handler'],
  ['GET', '/projects', 'the next handler'],
  ['GET', '/', 'the next handler'],
  ['OPTIONS', '/projects/shop', 'the next handler'],
])('%s %s is served by %s', async (method, url, found) => {
  expect(await foundBy(templates, method, url)).toBe(found);
});

test.each(['/:id', '/{*rest}', '/context{/*rest}', '/a/*b'])('the template %s is refused', (template) => {
  expect(() => createRouteTable().routerFor(template)).toThrow(template);
});
