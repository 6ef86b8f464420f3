/**
 * Documents and deltas of other servers, in the form that the evaluator reads: absent members get their defaults, as
 * SDKs read them, and unknown members stay.
 */
import { z } from 'zod';
import type { ClientFeature, ClientSegment } from '../../evaluation/client-document.ts';
import type { ForEdges } from './for-edges.ts';

/** A flag with what edges get. */
export interface ReadFeature extends ClientFeature {
  readonly vexil?: ForEdges | undefined;
}

export interface ClientDocument {
  readonly features: readonly ReadFeature[];
  readonly segments: readonly ClientSegment[];
}

/** Servers write absent members as null, or leave them out. */
function optional<T extends z.ZodType>(type: T) {
  return type.nullish().transform((value) => value ?? undefined);
}

function withDefault<T extends z.ZodType>(type: T, value: z.output<T>) {
  return type.nullish().transform((given): z.output<T> => given ?? value);
}

function listOf<T extends z.ZodType>(type: T) {
  return withDefault(z.array(type), [] as z.output<T>[]);
}

const text = z.string();
/** SDKs read any value as text. */
const asText = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)));
const texts = listOf(asText);

const constraint = z.looseObject({
  contextName: text,
  operator: text,
  values: texts,
  value: optional(asText),
  inverted: withDefault(z.boolean(), false),
  caseInsensitive: withDefault(z.boolean(), false),
});

const variant = z.looseObject({
  name: text,
  weight: z.int().nonnegative(),
  weightType: optional(z.enum(['fix', 'variable'])),
  stickiness: optional(text),
  payload: optional(z.looseObject({ type: text, value: asText })),
  overrides: optional(z.array(z.looseObject({ contextName: text, values: texts }))),
});

const strategy = z.looseObject({
  name: text,
  parameters: withDefault(z.record(text, asText), {}),
  constraints: listOf(constraint),
  variants: listOf(variant),
  segments: optional(z.array(z.int())),
});

const plainFeature = z.looseObject({
  name: text.min(1),
  type: withDefault(text, 'release'),
  enabled: z.boolean(),
  project: withDefault(text, 'default'),
  stale: withDefault(z.boolean(), false),
  impressionData: withDefault(z.boolean(), false),
  description: withDefault(text.nullable(), null),
  strategies: listOf(strategy),
  variants: listOf(variant),
  dependencies: optional(
    z.array(
      z.looseObject({
        feature: text,
        enabled: optional(z.boolean()),
        variants: optional(z.array(text)),
      }),
    ),
  ),
});

const feature = plainFeature.extend({
  vexil: optional(
    z.object({
      tags: optional(z.array(text)),
      plan: optional(z.array(z.object({ at: z.number(), feature: plainFeature }))),
    }),
  ),
});

const segment = z.looseObject({ id: z.int(), name: optional(text), constraints: listOf(constraint) });

const documentShape = z.looseObject({ features: z.array(feature), segments: listOf(segment) });

const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('hydration'), features: z.array(feature), segments: listOf(segment) }),
  z.looseObject({ type: z.literal('feature-updated'), feature }),
  z.looseObject({ type: z.literal('feature-removed'), featureName: text }),
  z.looseObject({ type: z.literal('segment-updated'), segment }),
  z.looseObject({ type: z.literal('segment-removed'), segmentId: z.int() }),
]);

const delta = z.looseObject({ events: z.array(event) });

export type ClientEvent =
  | ({ readonly type: 'hydration' } & ClientDocument)
  | { readonly type: 'feature-updated'; readonly feature: ReadFeature }
  | { readonly type: 'feature-removed'; readonly featureName: string }
  | { readonly type: 'segment-updated'; readonly segment: ClientSegment }
  | { readonly type: 'segment-removed'; readonly segmentId: number };

/** A text that says what is wrong and where, or the value. */
export type Read<V> = { readonly value: V } | { readonly problem: string };

/** Reads the answer of `GET /api/client/features`. */
export function readDocument(json: unknown): Read<ClientDocument> {
  const read = readAs<ClientDocument>(documentShape, json);
  if ('problem' in read) return read;
  const [twice] = duplicates(read.value.features.map(({ name }) => name));
  return twice === undefined ? read : { problem: `features: two flags have the name ${JSON.stringify(twice)}` };
}

/** Reads the answer of `GET /api/client/delta`, which is also the data of events of streams. */
export function readDelta(json: unknown): Read<{ readonly events: readonly ClientEvent[] }> {
  return readAs<{ readonly events: readonly ClientEvent[] }>(delta, json);
}

function readAs<V>(shape: z.ZodType, json: unknown): Read<V> {
  const read = shape.safeParse(json);
  // The shapes are checked against the documents of the client specification.
  if (read.success) return { value: read.data as V };
  const [issue] = read.error.issues;
  return { problem: `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'unreadable'}` };
}

function duplicates(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}
