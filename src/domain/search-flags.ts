/** Which flags a search means, and in which order: what it asks of each flag, and how it compares two. */
import type { FeatureFlag, FlagType } from '../schema/feature-flag.ts';
import type { FlagEffect } from './effect.ts';
import { flagTypeOf, projectIdOf } from './flag-values.ts';
import { compareText, wireNameOf } from './names.ts';
import { folded } from './search-users.ts';
import type { Surroundings } from './surroundings.ts';

/** A flag with what a search asks for, so that it only compares. */
export interface SearchableFlag {
  readonly flag: FeatureFlag;
  readonly name: string;
  readonly projectId: string;
  readonly type: FlagType;
  readonly isStale: boolean;
  /** Name and tags, folded. */
  readonly texts: readonly string[];
  readonly tags: ReadonlySet<string>;
  /** As the API server writes it: in order of text it is in order of time. */
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Where it can be on, with whether it is. */
  readonly environments: ReadonlyMap<string, boolean>;
}

export function searchableFlag(
  flag: FeatureFlag,
  { environments }: Surroundings,
  { enabledIn }: FlagEffect,
): SearchableFlag {
  const name = wireNameOf(flag);
  const tags = flag.spec.tags ?? [];
  return {
    flag,
    name,
    projectId: projectIdOf(flag),
    type: flagTypeOf(flag.spec),
    isStale: flag.spec.stale ?? false,
    texts: [name, ...tags].map(folded),
    tags: new Set(tags),
    createdAt: flag.metadata.creationTimestamp,
    lastSeenAt: flag.status?.lastSeenAt ?? '',
    environments: new Map(environments.map(wireNameOf).map((one) => [one, enabledIn.has(one)])),
  };
}

/** One value of a flag, compared with some. */
export interface OneOf {
  readonly values: readonly string[];
  /** True: it must be one of them; false: none of them. */
  readonly isWanted: boolean;
}

/** What a flag has several of, compared with some. */
export interface Some {
  readonly values: readonly string[];
  /** How many of them count: one is enough, or it takes all. */
  readonly count: 'any' | 'all';
  /** False: flags that have so many of them are left out. */
  readonly isWanted: boolean;
}

export interface EnvironmentState {
  readonly environment: string;
  readonly isEnabled: boolean;
}

/** All that is said must hold. */
export interface FlagFilter {
  /** In the name or in a tag. */
  readonly text?: string | undefined;
  readonly project?: OneOf | undefined;
  /** `active` or `stale`. */
  readonly state?: OneOf | undefined;
  readonly type?: OneOf | undefined;
  readonly tag?: Some | undefined;
  /** No flag has any. */
  readonly segment?: Some | undefined;
  /** Any of them. */
  readonly status?: readonly EnvironmentState[] | undefined;
  /** The first moment that counts, as text. */
  readonly from?: string | undefined;
  /** The first moment that does not. */
  readonly until?: string | undefined;
}

type Test = (one: SearchableFlag) => boolean;

const NONE: ReadonlySet<string> = new Set();

export function flagMatcher(filter: FlagFilter): Test {
  const tests = [
    ...when(filter.text, contains),
    ...when(filter.project, (wanted) => (one) => isOneOf(one.projectId, wanted)),
    ...when(filter.state, (wanted) => (one) => isOneOf(one.isStale ? 'stale' : 'active', wanted)),
    ...when(filter.type, (wanted) => (one) => isOneOf(one.type, wanted)),
    ...when(filter.tag, (wanted) => (one) => hasSome(one.tags, wanted)),
    ...when(filter.segment, (wanted) => () => hasSome(NONE, wanted)),
    ...when(filter.status, (states) => (one) => states.some((state) => isIn(one, state))),
    ...when(filter.from, (start) => (one) => one.createdAt >= start),
    ...when(filter.until, (end) => (one) => one.createdAt < end),
  ];
  return (one) => tests.every((test) => test(one));
}

function when<T>(wanted: T | undefined, test: (wanted: T) => Test): readonly Test[] {
  return wanted === undefined ? [] : [test(wanted)];
}

function contains(text: string): Test {
  const wanted = folded(text);
  return ({ texts }) => texts.some((one) => one.includes(wanted));
}

function isIn({ environments }: SearchableFlag, { environment, isEnabled }: EnvironmentState): boolean {
  return environments.get(environment) === isEnabled;
}

function isOneOf(value: string, { values, isWanted }: OneOf): boolean {
  return values.includes(value) === isWanted;
}

function hasSome(present: ReadonlySet<string>, { values, count, isWanted }: Some): boolean {
  const has = (value: string) => present.has(value);
  return (count === 'any' ? values.some(has) : values.every(has)) === isWanted;
}

export interface FlagOrder {
  /** A name of `sortFields`, or `environment:` with the name of an environment. */
  readonly by: string;
  readonly isDescending: boolean;
}

type Compare = (one: SearchableFlag, other: SearchableFlag) => number;

const fields = {
  name: (one, other) => compareText(one.name, other.name),
  type: (one, other) => compareText(one.type, other.type),
  project: (one, other) => compareText(one.projectId, other.projectId),
  state: (one, other) => Number(one.isStale) - Number(other.isStale),
  createdAt: (one, other) => compareText(one.createdAt, other.createdAt),
  lastSeenAt: (one, other) => compareText(one.lastSeenAt, other.lastSeenAt),
} as const satisfies Readonly<Record<string, Compare>>;

export const sortFields = Object.keys(fields);

const ENVIRONMENT = 'environment:';

export function environmentOfSort(by: string): string | undefined {
  return by.startsWith(ENVIRONMENT) ? by.slice(ENVIRONMENT.length) : undefined;
}

/** What is the same goes by name, so that pages never overlap. */
export function flagComparer({ by, isDescending }: FlagOrder): Compare {
  const environment = environmentOfSort(by);
  const isOn = ({ environments }: SearchableFlag) => Number(environments.get(environment ?? '') ?? false);
  const field: Compare =
    environment === undefined
      ? (fields[by as keyof typeof fields] ?? fields.name)
      : (one, other) => isOn(one) - isOn(other);
  const sign = isDescending ? -1 : 1;
  return (one, other) => sign * field(one, other) || compareText(one.name, other.name);
}
