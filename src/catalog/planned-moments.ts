/** The next moment of each flag with windows or ramps, and the flags whose moments have passed. */
import { isDeepStrictEqual } from 'node:util';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { type Moment, momentsOf, nextMoment, timesIn } from '../domain/flag/moments.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { createListeners } from '../model/listeners.ts';
import { keyOf } from '../model/object.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Cached } from './cached.ts';
import { projectKey } from './project-context.ts';

interface FlagWithMoments {
  readonly flag: FeatureFlag;
  readonly moments: readonly Moment[];
  /** Ms since 1970. */
  readonly nextAt: number;
}

interface Parts {
  readonly flags: Pick<Cached<FeatureFlag>, 'subscribe' | 'all'>;
  readonly environments: Pick<Cached<Environment>, 'subscribe'>;
  readonly everyEnvironment: () => ReadonlyMap<string, Environment>;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

export interface PlannedMoments {
  /** In ms since 1970; Infinity: nothing is planned. */
  nextAt(): number;
  /** Calls the listeners for all moments that have passed. */
  notifyPassed(): void;
  /** How often a moment of a flag of this project has passed; `project` is a key of the index `project`. */
  passedIn(project: string): number;
  /** Calls the listener with the names of the flags, some of which may be unchanged. */
  onPassed(listener: (names: readonly string[]) => void): void;
}

/** Contains only flags with a future moment. */
export function createPlannedMoments({ flags, environments, everyEnvironment, now, onFault }: Parts): PlannedMoments {
  const planned = new Map<string, FlagWithMoments>();
  const passedIn = new Map<string, number>();
  const passed = createListeners<[names: readonly string[]]>(onFault);
  let nextAt = Number.POSITIVE_INFINITY;

  const momentsIn = (flag: FeatureFlag) => momentsOf(flag, (ramp, place) => timesIn(everyEnvironment())(ramp, place));
  const plan = (flag: FeatureFlag, moments: readonly Moment[]): void => {
    const next = nextMoment(moments, now());
    const key = keyOf(flag.metadata);
    if (!next) {
      planned.delete(key);
      return;
    }
    planned.set(key, { flag, moments, nextAt: next.at });
    nextAt = Math.min(nextAt, next.at);
  };
  const notifyPassed = (): void => {
    const time = now();
    if (nextAt > time) return;
    const due = [...planned.values()].filter((one) => one.nextAt <= time);
    for (const { flag, moments } of due) {
      plan(flag, moments);
      const project = projectKey(flag.metadata.namespace, projectIdOf(flag));
      passedIn.set(project, (passedIn.get(project) ?? 0) + 1);
    }
    nextAt = [...planned.values()].reduce((first, one) => Math.min(first, one.nextAt), Number.POSITIVE_INFINITY);
    passed.call(due.map(({ flag }) => wireNameOf(flag)));
  };
  flags.subscribe(({ before, after }) => {
    // A new version of a flag must not hide that a moment of the one before has passed.
    notifyPassed();
    if (after) plan(after, momentsIn(after));
    else if (before) planned.delete(keyOf(before.metadata));
  });
  environments.subscribe(({ before, after }) => {
    // Freezes move the moments of all flags in the environment, including flags that had no future moment.
    if (isDeepStrictEqual(before?.spec.freezes, after?.spec.freezes)) return;
    notifyPassed();
    for (const flag of flags.all()) plan(flag, momentsIn(flag));
  });

  return {
    nextAt: (): number => nextAt,
    notifyPassed,
    passedIn: (project: string): number => passedIn.get(project) ?? 0,
    onPassed: passed.add,
  };
}
