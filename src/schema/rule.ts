/** One rule about one object, said once: as CEL for the API server, as a predicate for what is already stored. */
import type { z } from 'zod';

export interface Rule<T> {
  /** CEL; `self` is the value. */
  readonly cel: string;
  /** What a person reads who broke it: what is wrong and what to do. */
  readonly message: string;
  /** The same rule for objects that are stored although the API server would refuse them today. */
  readonly holds: (value: T) => boolean;
  /** The member of the value that a refusal names; absent: it names the value. */
  readonly field?: string;
  /** Where in a value that breaks the rule the fault lies, for messages; absent: it is the value as a whole. */
  readonly offence?: (value: T) => Offence;
}

interface Offence {
  /** Keys from the value down. */
  readonly path: readonly (string | number)[];
  /** What is wrong: what is there, or what it adds up to. */
  readonly value: unknown;
}

/** Puts rules on a schema: into the CRD as `x-kubernetes-validations`, into parsing as refinements. */
export function ruled<S extends z.ZodType>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  const refined = rules.reduce<S>((sum, rule) => sum.check(refusal(rule)) as S, schema);
  return refined.meta({
    ...schema.meta(),
    'x-kubernetes-validations': rules.map(({ cel, message, field }) => ({
      rule: cel,
      message,
      ...(field !== undefined && { fieldPath: `.${field}` }),
    })),
  });
}

function refusal<T>({ holds, message, field, offence }: Rule<T>): z.core.CheckFn<T> {
  const place = field === undefined ? [] : [field];
  return ({ value, issues }) => {
    if (holds(value)) return;
    const { path, value: input } = offence?.(value) ?? { path: place, value };
    // The rules after this one are asked all the same, so that all that is wrong is told at once.
    issues.push({ code: 'custom', message, path: [...path], input, continue: true });
  };
}
