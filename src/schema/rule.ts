/** One rule about one object, said once: as CEL for the API server, as a predicate for what is already stored. */
import type { z } from 'zod';

export interface Rule<T> {
  /** CEL; `self` is the value. */
  readonly cel: string;
  /** What a person reads who broke it: what is wrong and what to do. */
  readonly message: string;
  /** The same rule for objects that are stored although the API server would refuse them today. */
  readonly holds: (value: T) => boolean;
}

/** Puts rules on a schema: into the CRD as `x-kubernetes-validations`, into parsing as refinements. */
export function ruled<S extends z.ZodType>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  const refined = rules.reduce<S>((sum, { holds, message }) => sum.refine(holds, { message }) as S, schema);
  return refined.meta({
    ...schema.meta(),
    'x-kubernetes-validations': rules.map(({ cel, message }) => ({ rule: cel, message })),
  });
}
