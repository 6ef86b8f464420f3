/** Explains the evaluation of flags, from the same flags that SDKs get. */
import { readContext } from '../evaluation/context.ts';
import { type ExplainedFlag, explainFlag } from '../wire/playground/explained-flag.ts';
import { evaluationsAt, type TimedParts } from './evaluations-at.ts';
import type { Scope } from './flag-origin.ts';

type JsonFields = Readonly<Record<string, unknown>>;

export type ExplainNamed = (name: string, scope: Scope, context: JsonFields) => ExplainedFlag | undefined;

/**
 * Returns undefined if the flag does not exist, or not in these projects. The compiled flag is the one that SDKs get at
 * the time `at`, in ms since 1970. Contexts without a time get this time; the environment of contexts is that of the
 * scope.
 */
export function createExplanations(parts: TimedParts, at: number): ExplainNamed {
  const evaluations = evaluationsAt(parts, at);
  return (name, scope, given) => {
    const flag = parts.catalog.flag(name);
    const compiled = evaluations.flag(name, scope);
    if (!flag || !compiled) return undefined;
    const { environment } = scope;
    const situation = evaluations.situation(scope, readContext({ ...given, environment }, at));
    return explainFlag(evaluations.inEffect(flag), { environment, compiled, situation });
  };
}
