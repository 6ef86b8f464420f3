/** The lines of GET /history/chain. */
import { z } from 'zod';
import { wireNatural, wireNullableText } from '../fields.ts';
import { limitParam, startParam } from '../query.ts';

const digest = z.string().meta({ description: 'A SHA-256 in hexadecimal digits.', examples: ['5f3c…'] });
const number = wireNatural.meta({ description: 'The number of a link; 0: before the first one.', examples: [1001] });
const rowKind = z.enum(['entry', 'version']).meta({ description: 'The kind of a row.', examples: ['entry'] });
const ref = wireNatural.meta({ description: 'The id of the row; 0: none.', examples: [1001] });
const time = z.number().meta({ description: 'Milliseconds since 1970.', examples: [1767225600000] });
const row = z
  .record(z.string(), z.json())
  .meta({ description: 'The row as it is stored, without null.', examples: [{}] });
const amended = z.object({ kind: rowKind, ref, salt: z.string().meta({ examples: ['9c1f…'] }), digest });

const head = z.object({
  ...{ n: number, link: digest, at: time },
  key: z.string().meta({ description: 'The id of the key that signed.', examples: ['9c1f4be1d02a77c5'] }),
  signature: z.string().meta({ description: 'Ed25519, in base64.', examples: ['q8Vv…'] }),
});

export const wireHeads = z
  .object({
    heads: z.array(head),
    next: z
      .int()
      .nullable()
      .meta({ description: '`after` of the next page; null: there is none.', examples: [null] }),
  })
  .meta({ id: 'HistoryHeads', description: 'A page of the signed heads of the chain, by their numbers.' });

const MAX_HEADS = 1000;
const DEFAULT_HEADS = 100;

export const headsQuery = z.object({
  after: startParam('Only heads of links after this number.'),
  limit: limitParam('heads', { most: MAX_HEADS, fallback: DEFAULT_HEADS }),
});

const headLine = head.extend({ line: z.literal('head') });
const start = z.object({ line: z.literal('start'), n: number, link: digest, before: time });
const link = z.object({
  ...{ line: z.literal('link'), n: number, ref, at: time, digest, link: digest, row: row.nullable() },
  kind: z.enum(['entry', 'version', 'retention', 'amendment']).meta({ description: 'What the link commits.' }),
  salt: wireNullableText.meta({ description: 'Null: the row was amended.', examples: ['9c1f…'] }),
  content: wireNullableText.meta({ description: 'What a link that commits no single row says.', examples: [null] }),
  says: z
    .json()
    .meta({ description: 'What a version says; null: it says nothing, or cannot be read.', examples: [null] }),
  amended: z.object({ n: number, salt: z.string().meta({ examples: ['9c1f…'] }), digest }).nullable(),
  rows: z
    .array(amended)
    .nullable()
    .meta({ description: 'The rows of an amendment.', examples: [null] }),
});
const stray = z.object({ line: z.literal('stray'), kind: rowKind, ref, row });
const end = z.object({
  ...{ line: z.literal('end'), n: number, link: digest },
  waiting: z.int().meta({ description: 'The number of rows without a link.', examples: [0] }),
  moved: z.boolean().meta({
    description:
      'Retention or an amendment has changed the chain meanwhile: if a verification finds something, read again.',
  }),
});

export const wireChainLine = z.discriminatedUnion('line', [start, headLine, link, stray, end]).meta({
  id: 'ChainLine',
  description:
    'A line of the chain: where it begins, a signed head, a link with its row, a row that claims to be linked and is not, or its end.',
});
