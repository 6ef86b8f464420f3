/** The number that decides on percentages and weights: always the same for the same user. */
import type { Context, Situation } from './context.ts';
import { hashAfter } from './murmur-hash.ts';
import type { BucketResult } from './why.ts';

export interface Buckets {
  /** A context field, `default` or `random`. */
  readonly stickiness: string;
  readonly group: string;
  /** Buckets have the numbers from 1 to this. */
  readonly of: number;
  readonly seed: number;
  /** The fields that `default` stands for; the first one that is present counts. */
  readonly fallbacks: readonly string[];
  /** Whether a user without the field gets a random bucket, or none. */
  readonly elseRandom: boolean;
}

export interface CompiledBuckets {
  /** Undefined if the user has no bucket. */
  readonly bucketOf: (situation: Situation, trace?: { bucket?: BucketResult }) => number | undefined;
  /** Whether every user has one. */
  readonly isTotal: boolean;
}

export function compileBuckets(buckets: Buckets): CompiledBuckets {
  const { stickiness, group, of, seed } = buckets;
  const fields = fieldsOf(buckets);
  const isTotal = buckets.elseRandom || stickiness === 'default' || stickiness === 'random';
  const hash = hashAfter(`${group}:`, seed);
  const draw = (random: () => number) => (isTotal ? Math.floor(random() * of) + 1 : undefined);
  return {
    bucketOf({ context, random }, trace) {
      const field = firstPresent(fields, context);
      const id = field === undefined ? undefined : context.get(field);
      const number = id ? (hash(id) % of) + 1 : draw(random);
      if (trace) trace.bucket = { stickiness, group, field, id, number, of };
      return number;
    },
    isTotal,
  };
}

function fieldsOf({ stickiness, fallbacks }: Buckets): readonly string[] {
  if (stickiness === 'random') return [];
  return stickiness === 'default' ? fallbacks : [stickiness];
}

/** An empty id counts as absent: otherwise all users with it would be in one bucket. */
function firstPresent(fields: readonly string[], context: Context): string | undefined {
  for (const field of fields) {
    if (context.get(field)) return field;
  }
  return undefined;
}
