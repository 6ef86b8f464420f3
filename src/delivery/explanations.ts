/** Flags with the way in which they are evaluated, from what SDKs get. */
import { readContext } from '../evaluation/context.ts';
import { type ExplainedFlag, explainFlag } from '../wire/playground/explained-flag.ts';
import { evaluationsAt, type TimedParts } from './evaluations-at.ts';
import type { Scope } from './flags-in-environment.ts';

type Given = Readonly<Record<string, unknown>>;

export type ExplainNamed = (name: string, scope: Scope, context: Given) => ExplainedFlag | undefined;

/**
 * Undefined: the flag is not there, or not in these projects. The compiled flag is the one that evaluates for SDKs at
 * the time `at`, in ms since 1970, which is also that of contexts that have none; their environment is that of the
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
