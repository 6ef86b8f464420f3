/** Compiled flags at another time, with the state of their windows and ramps at that time (ADR 56). */
import type { Catalog } from '../catalog/catalog.ts';
import { undisputedEffect } from '../catalog/project-views.ts';
import { effectOf } from '../domain/flag/effect.ts';
import { contextAt } from '../domain/flag/moments.ts';
import type { CompiledFlag } from '../evaluation/compile.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { type FlagInEffect, presentClientFeature } from '../wire/client/feature.ts';
import { segmentsOf } from '../wire/client/segment.ts';
import type { Evaluations } from './evaluations.ts';
import type { Scope } from './flag-origin.ts';
import { compileServed } from './flags-in-environment.ts';

export interface TimedParts {
  readonly catalog: Pick<Catalog, 'flag' | 'flagContextOf'>;
  readonly evaluations: Pick<Evaluations, 'flag' | 'situation'>;
}

/** What is in effect at the time of a flag that owns its name, whether or not the cluster has this version of it. */
export function inEffectAt(catalog: Pick<Catalog, 'flagContextOf'>, flag: FeatureFlag, time: number): FlagInEffect {
  const present = catalog.flagContextOf(flag);
  const then = contextAt(flag, present, time);
  // The memoised effect is the present one.
  const effect = then === present ? undisputedEffect(flag, present) : effectOf(flag, then);
  return { flag, effect, segments: then.segments };
}

/**
 * Returns flags that own their names. Compiles only flags that differ from their present state, each once. `time` is in
 * ms since 1970.
 */
export function evaluationsAt({ catalog, evaluations }: TimedParts, time: number) {
  const compiled = new Map<string, CompiledFlag>();

  const inEffect = (flag: FeatureFlag): FlagInEffect => inEffectAt(catalog, flag, time);
  const compile = (flag: FeatureFlag, environment: string): CompiledFlag => {
    const then = inEffect(flag);
    const feature = presentClientFeature(then, environment);
    return compileServed(feature, segmentsOf(feature, then.segments));
  };
  const flagNamed = (name: string, scope: Scope): CompiledFlag | undefined => {
    const flag = catalog.flag(name);
    const present = evaluations.flag(name, scope);
    if (!flag || !present) return undefined;
    const flagContext = catalog.flagContextOf(flag);
    if (contextAt(flag, flagContext, time) === flagContext) return present;
    const key = JSON.stringify([scope.environment, name]);
    const found = compiled.get(key) ?? compile(flag, scope.environment);
    compiled.set(key, found);
    return found;
  };

  return {
    inEffect,
    flag: flagNamed,
    situation: (scope: Scope, context: Parameters<Evaluations['situation']>[1]) => ({
      ...evaluations.situation(scope, context),
      flags: { get: (name: string) => flagNamed(name, scope) },
    }),
  };
}
