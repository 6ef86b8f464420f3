/** Checks the references of a flag in a state document against the objects after the import. */

import { cut } from '../../model/text.ts';
import type { FlagSpec } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { environmentOf, isActive, strategiesOf } from '../flag/flag-values.ts';
import type { FlagPlace } from '../segment/segment-values.ts';
import { missingParameters, type StrategyType } from '../strategy-type/strategy-types.ts';
import { isSameJson } from './state-flag.ts';
import { type At, aboutFlag, type WantedFlag, type WantedPlace, type WantedStrategy } from './wanted.ts';

/** A defect at a place of the document, as in a PropertyDetail. */
export interface Complaint {
  readonly at: At;
  readonly complaint: string;
  readonly value?: string;
  /** What the part is about. */
  readonly of?: string;
}

/** Whether flags of a project can use a segment of the document with this name. */
export type ReachesFlags = (name: string, place: FlagPlace) => boolean;

export interface After {
  /** The environments that the document contains. */
  readonly environments: ReadonlySet<string>;
  readonly hasEnvironment: (name: string) => unknown;
  readonly namespaceOf: (project: string) => string | undefined;
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  /** The names of the known types, for messages. */
  readonly knownTypes: string;
  readonly reachesFlags: ReachesFlags;
  /** The flag before the import; absent if it is new. */
  readonly before?: FlagSpec;
  /** The flag after the import. */
  readonly spec: FlagSpec;
}

export function brokenReferences(flag: WantedFlag, after: After): readonly Complaint[] {
  const { at, name: flagName, project, environments } = flag;
  const places = [...environments].flatMap(([name, place]) =>
    [...brokenPlace(name, place, after), ...unreachableSegments(flag, place, after)].map((one) => ({
      ...one,
      of: aboutFlag(flagName, name),
    })),
  );
  if (after.namespaceOf(project) !== undefined) return places;
  const complaint = 'must be the id of an existing project or of a project in the document.';
  return [{ at: [...at, 'project'], complaint, value: quoted(project), of: aboutFlag(flagName) }, ...places];
}

function brokenPlace(name: string, place: WantedPlace, after: After): readonly Complaint[] {
  const { environments, hasEnvironment, before, spec } = after;
  const next = environmentOf(spec, name);
  if (Object.keys(next).length === 0) return [];
  if (!environments.has(name) && !hasEnvironment(name)) {
    const complaint = 'must be the name of an existing environment or of an environment in the document.';
    return [{ at: [...place.at, 'environment'], complaint, value: quoted(name) }];
  }
  const kept = strategiesOf(before ? environmentOf(before, name) : {}).map(({ strategy }) => strategy);
  const strategies = (place.strategies ?? []).flatMap((one) => brokenStrategy(one, kept, after));
  if (place.enabled !== true || isActive(next)) return strategies;
  const complaint = 'must be false: the flag has no enabled strategy in this environment.';
  return [{ at: [...place.at, 'enabled'], complaint, value: 'true' }, ...strategies];
}

function unreachableSegments(
  { project }: WantedFlag,
  { strategies }: WantedPlace,
  { namespaceOf, reachesFlags }: After,
): readonly Complaint[] {
  const place = { projectId: project, namespace: namespaceOf(project) ?? '' };
  return (strategies ?? []).flatMap(({ at, strategy }) =>
    (strategy.segments ?? [])
      .filter((name) => !reachesFlags(name, place))
      .map((name) => ({ at: [...at, 'segments'], complaint: `has the segment ${quoted(name)} of another project.` })),
  );
}

/** A stored strategy may stay even if its type does not exist any more, as PUT of a strategy allows. */
function brokenStrategy(
  { at, strategy }: WantedStrategy,
  kept: readonly Strategy[],
  { strategyTypes, knownTypes }: After,
): readonly Complaint[] {
  const type = strategyTypes.get(strategy.name);
  const isKept = () =>
    kept.some(
      ({ name, parameters }) => name === strategy.name && isSameJson(parameters ?? {}, strategy.parameters ?? {}),
    );
  if (!type) {
    const complaint = `has the unknown strategy type ${quoted(strategy.name)}. Known types: ${knownTypes}.`;
    return isKept() ? [] : [{ at, complaint }];
  }
  const missing = missingParameters(type, strategy.parameters);
  if (missing.length === 0 || isKept()) return [];
  return missing.map((parameter) => ({
    at: [...at, 'parameters', parameter],
    complaint: `is required by the strategy type ${quoted(strategy.name)}, and missing or empty.`,
  }));
}

const MAX_NAME_LENGTH = 100;

function quoted(text: string): string {
  return JSON.stringify(cut(text, MAX_NAME_LENGTH));
}
