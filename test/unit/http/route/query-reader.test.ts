/** Queries are parsed once for each text, but each invalid request is refused. */
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { queryReader } from '../../../../src/http/route/query-reader.ts';

function readerOf(schema?: z.ZodType) {
  const read = queryReader(schema);
  let parsed = 0;
  const ask = (search: string) => {
    const request = {
      url: `/api/client/features${search}`,
      get query() {
        parsed += 1;
        return Object.fromEntries(new URLSearchParams(search));
      },
    };
    return read(request as unknown as Request);
  };
  return { ask, parsed: () => parsed };
}

test('each text is parsed once', () => {
  const { ask, parsed } = readerOf(z.object({ environment: z.string().optional() }));
  const [first, again] = [ask('?environment=a'), ask('?environment=a')];
  expect(again.parsed()).toBe(first.parsed());
  expect([first.environment, first.parsed(), parsed()]).toEqual(['a', { environment: 'a' }, 1]);
  expect([ask('?environment=b').environment, ask('').environment, parsed()]).toEqual(['b', undefined, 3]);
});

test('an invalid query is refused each time it is read', () => {
  const { ask } = readerOf(z.object({ tag: z.string().min(2) }));
  for (const search of ['?tag=a', '?tag=a', '?tag=a&environment=b']) {
    const read = ask(search);
    expect(() => read.parsed()).toThrow('`tag`');
  }
});

test('a long text is not cached', () => {
  const { ask, parsed } = readerOf();
  for (let turn = 0; turn < 3; turn += 1) ask(`?namePrefix=${'x'.repeat(1000)}`);
  expect(parsed()).toBe(3);
});
