/** What is wrong with a property, as a sentence. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from '../../../src/wire/parse-input.ts';

const eitherKind = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('one') }),
  z.object({ kind: z.enum(['two', 'three']) }),
]);

test.each<[z.ZodType, unknown, string]>([
  [z.object({ a: z.iso.datetime() }), { a: 'x' }, 'The `a` property must be a valid ISO datetime. You sent "x".'],
  [z.object({ a: z.uuid() }), { a: 'x' }, 'The `a` property must be a valid UUID. You sent "x".'],
  [z.object({ a: z.string().regex(/^a$/) }), { a: 'x' }, 'The `a` property must match pattern /^a$/. You sent "x".'],
  [z.object({ a: z.number().multipleOf(5) }), { a: 3 }, 'The `a` property must be a multiple of 5. You sent 3.'],
  [z.object({ a: z.union([z.string(), z.number()]) }), { a: true }, 'The `a` property must be string or number.'],
  [z.object({ a: eitherKind }), { a: { kind: 'x' } }, 'The `a.kind` property must be one of one, two, three.'],
  [z.object({ a: z.record(z.string().regex(/^a$/), z.json()) }), { a: { b: 1 } }, 'must be a valid key in record.'],
  [z.object({ a: z.string().regex(/^a$/, 'must be an a') }), { a: 'x' }, 'The `a` property must be an a. You sent'],
])('%#', (schema, input, sentence) => {
  expect(() => parse(schema, input, 'body')).toThrow(sentence);
});
