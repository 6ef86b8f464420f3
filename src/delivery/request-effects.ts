/** What users get before and after the change of a request: of its flag, or of the flags that use its segment. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Target } from '../domain/approval/target.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Segment } from '../schema/segment.ts';
import type { RequestEffects } from '../wire/playground/change-effects.ts';
import {
  type AskedChange,
  askedChange,
  askedSegmentChange,
  dependentsOf,
  type EffectParts,
  effectsOfChanges,
  timeOfRequest,
  timesOfChange,
} from './change-effects.ts';

export type TargetWithEffects = Extract<Target, { readonly kind: 'FeatureFlag' | 'Segment' }>;

export function hasEffects(target: Target | undefined): target is TargetWithEffects {
  return target?.kind === 'FeatureFlag' || target?.kind === 'Segment';
}

interface RequestParts extends Omit<EffectParts, 'at' | 'catalog'> {
  readonly catalog: EffectParts['catalog'] & Pick<Catalog, 'flagsOfSegment' | 'effectOf' | 'now'>;
  /** In ms since 1970. Absent: when the change would be made. */
  readonly at: number | undefined;
}

/** See `effectsOfChanges`. */
export async function effectsOfRequest(
  target: TargetWithEffects,
  request: ChangeRequest,
  { at: wantedAt, ...parts }: RequestParts,
): Promise<RequestEffects> {
  const { catalog } = parts;
  const now = catalog.now();
  const later = timeOfRequest(request, now);
  const at = wantedAt ?? later;
  const { changes, segment } = changesOf(target, request, parts);
  const flags = await effectsOfChanges(changes, { ...parts, at: at ?? now });
  const times = changes.flatMap((change) => timesOfChange(change, { catalog, from: later ?? now }));
  const dependents = changes.flatMap((change) => dependentsOf(change, catalog));
  return {
    ...{ at, flags, segment },
    times: [...new Set(times)].sort((one, other) => one - other).slice(0, MAX_TIMES),
    dependents: [...new Set(dependents)].sort(compareText),
  };
}

const MAX_TIMES = 20;

type RequestedChanges = Pick<RequestEffects, 'segment'> & { readonly changes: readonly AskedChange[] };

function changesOf(
  { kind, object }: TargetWithEffects,
  request: ChangeRequest,
  parts: Omit<RequestParts, 'at'>,
): RequestedChanges {
  return kind === 'FeatureFlag'
    ? { changes: [askedChange(object, request)], segment: undefined }
    : changesOfSegment(object, request, parts);
}

/** Flags with their environments that are evaluated, so that enough contexts remain for each. */
const MAX_PLACES = 20;
const MAX_NAMED = 100;

function changesOfSegment(
  segment: Segment,
  request: ChangeRequest,
  { catalog, readsFlagsOf }: Omit<RequestParts, 'at'>,
): RequestedChanges {
  const using = catalog.flagsOfSegment(segment).filter((flag) => !isArchived(flag));
  const all = using
    .filter((flag) => readsFlagsOf(projectIdOf(flag)))
    .map((flag) => askedSegmentChange(flag, segment, request))
    .toSorted((one, other) => Number(isOn(other)) - Number(isOn(one)) || compareText(nameOf(one), nameOf(other)));
  const changes: AskedChange[] = [];
  let places = 0;
  for (const change of all) {
    places += change.environments.length;
    if (places > MAX_PLACES) break;
    changes.push(change);
  }
  const otherFlags = all.slice(changes.length, changes.length + MAX_NAMED).map(nameOf);
  return { changes, segment: { usedBy: using.length, otherFlags } };

  function isOn({ before, environments }: AskedChange): boolean {
    const { enabledIn } = catalog.effectOf(before);
    return environments.some((name) => enabledIn.has(name));
  }
}

function nameOf({ before }: { readonly before: FeatureFlag }): string {
  return wireNameOf(before);
}
