/** The filter and the order of a flag search. */

import { folded } from '../../model/text.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import { tagsOf } from './edit-tags.ts';
import { flagTypeOf, projectIdOf } from './flag-values.ts';
import { segmentNamesOf } from './segments-of-flag.ts';

/** What of a flag takes more than a look at it. */
export interface FlagLooks {
  /** Name and tags, folded. */
  readonly textsOf: (flag: FeatureFlag) => readonly string[];
  /** Undefined: its project does not use the environment. */
  readonly isOnIn: (flag: FeatureFlag, environment: string) => boolean | undefined;
}

export function foldedTexts(flag: FeatureFlag): readonly string[] {
  return [wireNameOf(flag), ...tagsOf(flag)].map(folded);
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
  /** Names. */
  readonly segment?: Some | undefined;
  /** Any of them. */
  readonly status?: readonly EnvironmentState[] | undefined;
  /** The first moment that counts, as text. */
  readonly from?: string | undefined;
  /** The first moment that does not. */
  readonly until?: string | undefined;
}

type Test = (flag: FeatureFlag) => boolean;

export function flagMatcher(filter: FlagFilter, { textsOf, isOnIn }: FlagLooks): Test {
  const contains = (text: string): Test => {
    const wanted = folded(text);
    return (flag) => textsOf(flag).some((one) => one.includes(wanted));
  };
  const tests = [
    ...when(filter.text, contains),
    ...when(filter.project, (wanted) => (flag) => isOneOf(projectIdOf(flag), wanted)),
    ...when(filter.state, (wanted) => (flag) => isOneOf(isStale(flag) ? 'stale' : 'active', wanted)),
    ...when(filter.type, (wanted) => (flag) => isOneOf(flagTypeOf(flag.spec), wanted)),
    ...when(filter.tag, (wanted) => (flag) => hasSome(tagsOf(flag), wanted)),
    ...when(filter.segment, (wanted) => (flag) => hasSome([...segmentNamesOf(flag)], wanted)),
    ...when(filter.status, (states) => (flag) => {
      return states.some(({ environment, isEnabled }) => isOnIn(flag, environment) === isEnabled);
    }),
    ...when(filter.from, (start) => (flag) => createdAt(flag) >= start),
    ...when(filter.until, (end) => (flag) => createdAt(flag) < end),
  ];
  return (flag) => tests.every((test) => test(flag));
}

function when<T>(wanted: T | undefined, test: (wanted: T) => Test): readonly Test[] {
  return wanted === undefined || wanted === '' ? [] : [test(wanted)];
}

/** As the API server writes it: in order of text it is in order of time. */
function createdAt({ metadata }: FeatureFlag): string {
  return metadata.creationTimestamp;
}

function isStale({ spec }: FeatureFlag): boolean {
  return spec.stale ?? false;
}

function isOneOf(value: string, { values, isWanted }: OneOf): boolean {
  return values.includes(value) === isWanted;
}

function hasSome(present: readonly string[], { values, count, isWanted }: Some): boolean {
  const has = (value: string) => present.includes(value);
  return (count === 'any' ? values.some(has) : values.every(has)) === isWanted;
}

export interface FlagOrder {
  /** A name of `sortFields`, or `environment:` with the name of an environment. */
  readonly by: string;
  readonly isDescending: boolean;
}

type Compare = (one: FeatureFlag, other: FeatureFlag) => number;

const byText =
  (textOf: (flag: FeatureFlag) => string): Compare =>
  (one, other) =>
    compareText(textOf(one), textOf(other));

const fields = {
  name: byText(wireNameOf),
  type: byText(({ spec }) => flagTypeOf(spec)),
  project: byText(projectIdOf),
  state: (one, other) => Number(isStale(one)) - Number(isStale(other)),
  createdAt: byText(createdAt),
  lastSeenAt: byText(({ status }) => status?.lastSeenAt ?? ''),
} as const satisfies Readonly<Record<string, Compare>>;

export const sortFields = Object.keys(fields);

const ENVIRONMENT = 'environment:';

export function environmentOfSort(by: string): string | undefined {
  return by.startsWith(ENVIRONMENT) ? by.slice(ENVIRONMENT.length) : undefined;
}

/** Equal flags are sorted by name, so that pages never overlap. */
export function flagComparer({ by, isDescending }: FlagOrder, { isOnIn }: FlagLooks): Compare {
  const environment = environmentOfSort(by);
  const isOn = (flag: FeatureFlag) => Number(isOnIn(flag, environment ?? '') ?? false);
  const field: Compare =
    environment === undefined
      ? (fields[by as keyof typeof fields] ?? fields.name)
      : (one, other) => isOn(one) - isOn(other);
  const sign = isDescending ? -1 : 1;
  return (one, other) => sign * field(one, other) || fields.name(one, other);
}
