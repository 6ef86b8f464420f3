/** A value for each flag in an environment, kept while clients read the same of the flag. */
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { type CompiledFlag, compileFlag } from '../evaluation/compile.ts';
import { compileSegments } from '../evaluation/strategy.ts';
import type { FlagGroup, FlagOrigin, OriginFlag, Scope, ServedPlace } from './flag-origin.ts';

/** Makes the value from a flag as its clients read it, and the segments that it uses. */
export type Make<V> = (feature: ClientFeature, segments: readonly ClientSegment[], flag: OriginFlag) => V;

interface FlagsInEnvironment<V> {
  inGroup(group: FlagGroup, environment: string, isWanted?: (flag: ServedPlace) => boolean): Iterable<V>;
  /** Undefined if the flag does not exist, or not in these projects. */
  named(name: string, scope: Scope): V | undefined;
}

export function createFlagsInEnvironment<V>(origin: FlagOrigin, make: Make<V>): FlagsInEnvironment<V> {
  const known = new WeakMap<OriginFlag, { readonly value: V }>();
  const of = (flag: OriginFlag): V => {
    const found = known.get(flag);
    if (found) return found.value;
    const { feature, segments } = flag.read();
    const value = make(feature, segments, flag);
    known.set(flag, { value });
    return value;
  };

  return {
    *inGroup(group, environment, isWanted) {
      for (const flag of group.flags(environment, isWanted)) yield of(flag);
    },
    named(name, scope) {
      const flag = origin.named(name, scope);
      return flag && of(flag);
    },
  };
}

/** A flag as its clients read it, with the segments that it uses. */
export function compileServed(feature: ClientFeature, segments: readonly ClientSegment[]): CompiledFlag {
  return compileFlag(feature, { segments: compileSegments(segments) });
}

export function haveSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
