/** The segments that the strategies of a flag name, and whether the flag can use them. */
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { compareText } from '../identity/names.ts';
import type { Finding } from '../judgement/findings.ts';
import type { SegmentLookup, SegmentLookups } from '../segment/segment-values.ts';
import { environmentsOf, projectIdOf, strategiesOf } from './flag-values.ts';

/** A flag, or a request to change one. */
export interface Configured {
  readonly spec: Pick<FlagSpec, 'environments'>;
}

/** Each name once, in no particular order. */
export function segmentNamesOf({ spec }: Configured): ReadonlySet<string> {
  const strategies = Object.values(spec.environments ?? {}).flatMap((one) => Object.values(one?.strategies ?? {}));
  return new Set(strategies.flatMap((strategy) => strategy?.segments ?? []));
}

/** The environments in which strategies of the flags name the segment, ordered. */
export function environmentsUsing(flags: readonly Configured[], segment: string): readonly string[] {
  const names = flags.flatMap((flag) =>
    environmentsOf(flag).flatMap(([name, environment]) =>
      strategiesOf(environment).some(({ strategy }) => strategy.segments?.includes(segment)) ? [name] : [],
    ),
  );
  return [...new Set(names)].sort(compareText);
}

/** Without one of its segments a strategy would apply to more users, and many SDKs switch the whole flag off. */
export function unusableSegments(flag: FeatureFlag, segments: SegmentLookups | undefined): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }) =>
      (strategy.segments ?? []).flatMap((segment): Finding[] => {
        const found = segments?.get(segment) ?? 'not-found';
        if (typeof found !== 'string') return [];
        const path = ['environments', name, 'strategies', key, 'segments'];
        return [{ severity: 'Error', path, ...complaints[found](segment, flag) }];
      }),
    ),
  );
}

type SegmentFinding = (segment: string, flag: FeatureFlag) => Pick<Finding, 'reason' | 'message'>;

const complaints: Readonly<Record<Exclude<SegmentLookup, object>, SegmentFinding>> = {
  'not-found': (segment, flag) => ({
    reason: 'SegmentNotFound',
    message: `there is no segment "${segment}" for flags of the project "${projectIdOf(flag)}" in namespace ${flag.metadata.namespace}: create it or remove this entry`,
  }),
  'not-ready': (segment) => ({
    reason: 'SegmentNotReady',
    message: `the segment "${segment}" cannot be used yet: its own status says why`,
  }),
};
