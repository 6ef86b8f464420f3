/** The wanted state of a document in the types of the domain; `at` is the place in the document. */
import type { Dependency } from '../../schema/dependency.ts';
import type { EnvironmentSpec } from '../../schema/environment.ts';
import type { ProjectSpec } from '../../schema/project.ts';
import type { SegmentSpec } from '../../schema/segment.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { Variant } from '../../schema/variant.ts';
import type { FlagWindow } from '../flag/edit/edit-window.ts';
import type { Metadata } from '../flag/metadata-fields.ts';
import type { StrategyTypeChange } from '../strategy-type/edit-strategy-type.ts';

/** Keys from the document down: `['features', '3']`. */
export type At = readonly string[];

/** What a part of the document is about, for people who do not count rows: `flag checkout in production`. */
export function aboutFlag(flag: string, environment?: string): string {
  const name = flag.slice(0, MAX_LENGTH);
  return environment === undefined ? `flag ${name}` : `flag ${name} in ${environment.slice(0, MAX_LENGTH)}`;
}

const MAX_LENGTH = 100;

interface Said {
  readonly at: At;
  /** The wire name. */
  readonly name: string;
}

export interface WantedStrategy {
  readonly at: At;
  /** A UUID; absent: the place in the list names the strategy. */
  readonly id?: string | undefined;
  readonly strategy: Strategy;
}

/** Undefined members are not mentioned in the document. */
export interface WantedPlace {
  readonly at: At;
  readonly enabled?: boolean | undefined;
  readonly strategies?: readonly WantedStrategy[] | undefined;
  readonly variants?: readonly Variant[] | undefined;
  readonly window?: FlagWindow | undefined;
}

export interface WantedFlag extends Said {
  readonly project: string;
  readonly metadata: Partial<Metadata>;
  readonly archived: boolean;
  /** Undefined: not mentioned in the document. */
  readonly tags: readonly string[] | undefined;
  /** Undefined: not mentioned in the document. */
  readonly dependencies?: readonly Dependency[] | undefined;
  /** The variants of the flag as a whole, in all environments; undefined: not mentioned in the document. */
  readonly variants: readonly Variant[] | undefined;
  readonly environments: ReadonlyMap<string, WantedPlace>;
}

export interface WantedType extends Said, StrategyTypeChange {
  readonly deprecated?: boolean | undefined;
}

export interface WantedProject extends Said {
  readonly spec: ProjectSpec;
}

export interface WantedEnvironment extends Said {
  readonly spec: EnvironmentSpec;
}

export interface WantedSegment extends Said {
  readonly spec: SegmentSpec;
}

export interface WantedState {
  readonly environments: readonly WantedEnvironment[];
  readonly projects: readonly WantedProject[];
  /** Undefined if the document has no such section. */
  readonly strategyTypes: readonly WantedType[] | undefined;
  /** Undefined if the document has no such section. */
  readonly segments: readonly WantedSegment[] | undefined;
  readonly flags: readonly WantedFlag[] | undefined;
}
