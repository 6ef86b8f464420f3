/** Every list in a body has a bound: an unbounded list is validated completely, with a complaint about each entry. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../../../src/http/routes/all.ts';

type Schema = Readonly<Record<string, unknown>>;

function unboundedLists(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maxItems } = schema as Schema;
  const own = type === 'array' && typeof maxItems !== 'number' ? [path] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, part]) => unboundedLists(part, `${path}/${key}`))];
}

/** The caller chooses the JSON at these paths. */
const preserveNulls = (path: string) => /\/\$defs\/__schema\d+\//.test(path);

test('every list in a body has a bound, except the sections of a state document, which are read in parts', () => {
  const bodies = routes.flatMap(({ body, acceptsUpload, method, path }) =>
    body && !acceptsUpload ? [{ body, at: `${method} ${path}` }] : [],
  );
  const found = bodies.flatMap(({ body, at }) => unboundedLists(z.toJSONSchema(body, { io: 'input' }), at));
  expect(found.filter((path) => !preserveNulls(path))).toEqual([]);
  expect(bodies.length).toBeGreaterThan(20);
});
