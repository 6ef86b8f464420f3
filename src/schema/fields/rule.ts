/** Defines a rule about one object in two forms: CEL for the API server, and a predicate for stored objects. */
import type { z } from 'zod';

export interface Rule<T> {
  /** CEL; `self` is the value. */
  readonly cel: string;
  /** The error message: what is wrong and what to do. */
  readonly message: string;
  /** The same rule for stored objects, which may be older than the CEL rule. */
  readonly holds: (value: T) => boolean;
  /**
   * The weaker rule of earlier versions. A stored value that satisfies only this one stays in effect, with a warning.
   */
  readonly tolerated?: (value: T) => boolean;
  /** The member of the value that the error refers to; absent: the value itself. */
  readonly field?: string;
  /** Locates the violation inside the value, for messages; absent: the whole value. */
  readonly violation?: (value: T) => Violation;
}

interface Violation {
  /** Keys below the value. */
  readonly path: readonly (string | number)[];
  /** The invalid value, or the total that is invalid. */
  readonly value: unknown;
}

/** A key in the metadata of a schema: a pattern in the CRD alone, for a rule that stored values may violate. */
export const LATER_PATTERN = 'x-kubernetes-later-pattern';

/** Adds rules to a schema: to the CRD as `x-kubernetes-validations`, to parsing as refinements. */
export function ruled<S extends z.ZodType>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  const refined = rules.reduce<S>((sum, rule) => sum.check(refinement(rule)) as S, schema);
  return refined.meta({
    ...schema.meta(),
    'x-kubernetes-validations': rules.map(({ cel, message, field }) => ({
      rule: cel,
      message,
      ...(field !== undefined && { fieldPath: `.${field}` }),
    })),
  });
}

function refinement<T>({ holds, tolerated = holds, message, field, violation }: Rule<T>): z.core.CheckFn<T> {
  const place = field === undefined ? [] : [field];
  return ({ value, issues }) => {
    if (tolerated(value)) return;
    const { path, value: input } = violation?.(value) ?? { path: place, value };
    // `continue` lets the later rules run, so that all violations are reported at once.
    issues.push({ code: 'custom', message, path: [...path], input, continue: true });
  };
}
