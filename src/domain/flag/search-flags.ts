/** The filter and the order of a flag search. */

import { folded } from '../../model/text.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import { isConfiguredAlike } from './compare-environments.ts';
import { tagsOf } from './edit/edit-tags.ts';
import { flagTypeOf, projectIdOf } from './flag-values.ts';
import { outlivesAt } from './lifetime.ts';
import { segmentNamesOf } from './segments-of-flag.ts';
import { type Share, type ShareSize, sizeOf } from './share.ts';

/** The values of a flag that are not simply read from it. */
export interface FlagLooks {
  /** The name and the tags, folded. */
  readonly textsOf: (flag: FeatureFlag) => readonly string[];
  /** The folded description. */
  readonly descriptionOf: (flag: FeatureFlag) => string;
  /** Undefined if the project of the flag does not use the environment. */
  readonly isOnIn: (flag: FeatureFlag, environment: string) => boolean | undefined;
  /** One switch for each environment. */
  readonly switchesOf: (flag: FeatureFlag) => readonly Switch[];
  /** In ms since 1970; undefined: never. */
  readonly lastSeenAt: (flag: FeatureFlag) => number | undefined;
  /** The stage of the flag's lifecycle. */
  readonly stageOf: (flag: FeatureFlag) => string;
}

export interface Switch {
  /** The wire name of the environment. */
  readonly name: string;
  readonly asked: boolean;
  readonly inEffect: boolean;
  /** Whether a write of the switch is refused unless it is forced. */
  readonly switchProtected: boolean;
  readonly switchOwners: readonly { readonly manager: string }[];
  readonly share: Share;
  /** Null: the environment has no window. */
  readonly window: string | null;
  readonly ramps: readonly unknown[];
  /** The next change by time alone; null: none is planned. */
  readonly nextChangeAt: string | null;
}

/** Tests for properties of a switch that a search can ask for. */
const switchTests = {
  protected: ({ switchProtected }) => switchProtected,
  ineffective: ({ asked, inEffect }) => asked && !inEffect,
} as const satisfies Readonly<Record<string, (one: Switch) => boolean>>;

export type SwitchState = keyof typeof switchTests;

export const schedules = ['window', 'ramp', 'planned'] as const;
export type Schedule = (typeof schedules)[number];

/** Tests for plans of an environment that a search can ask for. */
const scheduleTests = {
  window: ({ window }) => window !== null,
  ramp: ({ ramps }) => ramps.length > 0,
  planned: ({ nextChangeAt }) => nextChangeAt !== null,
} as const satisfies Readonly<Record<Schedule, (one: Switch) => boolean>>;

export function foldedTexts(flag: FeatureFlag): readonly string[] {
  return [wireNameOf(flag), ...tagsOf(flag)].map(folded);
}

export function foldedDescription({ spec }: FeatureFlag): string {
  return folded(spec.description ?? '');
}

/** Compares one value of a flag with a list. */
export interface OneOf {
  readonly values: readonly string[];
  /** True: the value must be in the list; false: it must not. */
  readonly isWanted: boolean;
}

/** Compares several values of a flag with a list. */
export interface Some {
  readonly values: readonly string[];
  /** How many values of the list a flag must have. */
  readonly count: 'any' | 'all';
  /** False: flags that have this many are left out. */
  readonly isWanted: boolean;
}

export interface EnvironmentState {
  readonly environment: string;
  readonly isEnabled: boolean;
}

export interface EnvironmentShare {
  readonly environment: string;
  readonly size: ShareSize;
}

/** All conditions must hold. */
export interface FlagFilter {
  /** A text in the name or in a tag. */
  readonly text?: string | undefined;
  /** The text may be in the description instead. */
  readonly inDescriptions?: boolean;
  /** Wire names. */
  readonly name?: OneOf | undefined;
  readonly project?: OneOf | undefined;
  /** `active`, `stale` or `potentially-stale`, which is a part of the active ones. */
  readonly state?: OneOf | undefined;
  /** Names of stages. */
  readonly lifecycle?: OneOf | undefined;
  readonly type?: OneOf | undefined;
  readonly tag?: Some | undefined;
  /** Names of segments. */
  readonly segment?: Some | undefined;
  /** One of these states is enough. */
  readonly status?: readonly EnvironmentState[] | undefined;
  /** Two environments: on in one of them and off in the other. */
  readonly differs?: readonly [string, string] | undefined;
  /** Two environments: on in one of them and off in the other, or with other strategies, variants or times. */
  readonly configuredApart?: readonly [string, string] | undefined;
  /** A state of the switch in any environment. */
  readonly switch?: SwitchState | undefined;
  /** A part of the name of a manager that owns a switch. */
  readonly switchOwner?: string | undefined;
  /** Labels of the object, each `key` or `key=value`. */
  readonly label?: Some | undefined;
  /** A switch that is on for so many users; one of these is enough. */
  readonly share?: readonly EnvironmentShare[] | undefined;
  /** A plan in any environment. */
  readonly schedule?: Schedule | undefined;
  /** The first creation time in the range, as text. */
  readonly from?: string | undefined;
  /** The first creation time after the range, as text. */
  readonly until?: string | undefined;
  /**
   * The range of the time at which a flag was last seen, in ms since 1970; a flag that was never seen is in no range.
   */
  readonly seen?: { readonly from?: number; readonly until?: number } | undefined;
  /** Ms since 1970: flags that have outlived their lifetime by then are potentially stale. */
  readonly now?: number;
}

type FlagTest = (flag: FeatureFlag) => boolean;

export function flagMatcher(filter: FlagFilter, looks: FlagLooks): FlagTest {
  const { textsOf, descriptionOf, isOnIn, switchesOf, lastSeenAt, stageOf } = looks;
  const contains = (text: string): FlagTest => {
    const wanted = folded(text);
    const isNamed: FlagTest = (flag) => textsOf(flag).some((one) => one.includes(wanted));
    return filter.inDescriptions ? (flag) => isNamed(flag) || descriptionOf(flag).includes(wanted) : isNamed;
  };
  const isOwnedBy = (text: string): FlagTest => {
    const wanted = folded(text);
    return (flag) =>
      switchesOf(flag).some(({ switchOwners }) => switchOwners.some(({ manager }) => folded(manager).includes(wanted)));
  };
  const tests = [
    ...when(filter.text, contains),
    ...when(filter.name, (wanted) => (flag) => isOneOf(wireNameOf(flag), wanted)),
    ...when(filter.project, (wanted) => (flag) => isOneOf(projectIdOf(flag), wanted)),
    ...when(filter.state, (wanted) => (flag) => isSomeOf(statesOf(flag, filter.now ?? 0), wanted)),
    ...when(filter.lifecycle, (wanted) => (flag) => isOneOf(stageOf(flag), wanted)),
    ...when(filter.seen, ({ from = 0, until = Number.POSITIVE_INFINITY }) => (flag) => {
      const at = lastSeenAt(flag);
      return at !== undefined && at >= from && at < until;
    }),
    ...when(filter.type, (wanted) => (flag) => isOneOf(flagTypeOf(flag.spec), wanted)),
    ...when(filter.tag, (wanted) => (flag) => hasSome(tagsOf(flag), wanted)),
    ...when(filter.segment, (wanted) => (flag) => hasSome([...segmentNamesOf(flag)], wanted)),
    ...when(filter.status, (states) => (flag) => {
      return states.some(({ environment, isEnabled }) => isOnIn(flag, environment) === isEnabled);
    }),
    ...when(filter.differs, ([one, other]) => (flag) => {
      const states = [isOnIn(flag, one), isOnIn(flag, other)];
      return states.includes(true) && states.includes(false);
    }),
    ...when(filter.configuredApart, ([one, other]) => (flag) => {
      const states = [isOnIn(flag, one), isOnIn(flag, other)];
      return !states.includes(undefined) && (states[0] !== states[1] || !isConfiguredAlike(flag, one, other));
    }),
    ...when(filter.switch, (state) => (flag) => switchesOf(flag).some(switchTests[state])),
    ...when(filter.switchOwner, isOwnedBy),
    ...when(filter.label, (wanted) => (flag) => hasSome(labelsOf(flag), wanted)),
    ...when(filter.share, (shares) => (flag) => {
      return switchesOf(flag).some((one) => one.asked && shares.some((share) => isOfSize(one, share)));
    }),
    ...when(filter.schedule, (plan) => (flag) => switchesOf(flag).some(scheduleTests[plan])),
    ...when(filter.from, (start) => (flag) => createdAt(flag) >= start),
    ...when(filter.until, (end) => (flag) => createdAt(flag) < end),
  ];
  return (flag) => tests.every((test) => test(flag));
}

function when<T>(wanted: T | undefined, test: (wanted: T) => FlagTest): readonly FlagTest[] {
  return wanted === undefined || wanted === '' ? [] : [test(wanted)];
}

/** Each label as its key, and as `key=value`. */
function labelsOf({ metadata }: FeatureFlag): readonly string[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => [key, `${key}=${value}`]);
}

function isOfSize(one: Switch, { environment, size }: EnvironmentShare): boolean {
  return one.name === environment && sizeOf(one) === size;
}

/** The creation time as the API server writes it: the order of the text is the order of time. */
function createdAt({ metadata }: FeatureFlag): string {
  return metadata.creationTimestamp;
}

function isStale({ spec }: FeatureFlag): boolean {
  return spec.stale ?? false;
}

/** A flag that is potentially stale is active, too. */
function statesOf(flag: FeatureFlag, now: number): readonly string[] {
  if (isStale(flag)) return ['stale'];
  const end = outlivesAt(flag);
  return end !== undefined && end <= now ? ['active', 'potentially-stale'] : ['active'];
}

function isSomeOf(values: readonly string[], wanted: OneOf): boolean {
  return values.some((value) => wanted.values.includes(value)) === wanted.isWanted;
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
  lastSeenAt: () => 0,
} as const satisfies Readonly<Record<string, Compare>>;

export const sortFields = Object.keys(fields);

const ENVIRONMENT = 'environment:';

export function environmentOfSort(by: string): string | undefined {
  return by.startsWith(ENVIRONMENT) ? by.slice(ENVIRONMENT.length) : undefined;
}

/** Equal flags are sorted by name, so that pages never overlap. */
export function flagComparer({ by, isDescending }: FlagOrder, { isOnIn, lastSeenAt }: FlagLooks): Compare {
  const environment = environmentOfSort(by);
  const isOn = (flag: FeatureFlag) => Number(isOnIn(flag, environment ?? '') ?? false);
  const seen = (flag: FeatureFlag) => lastSeenAt(flag) ?? 0;
  const looked: Readonly<Record<string, Compare>> = {
    lastSeenAt: (one, other) => seen(one) - seen(other),
    ...(environment !== undefined && { [by]: (one, other) => isOn(one) - isOn(other) }),
  };
  const field: Compare = looked[by] ?? fields[by as keyof typeof fields] ?? fields.name;
  const sign = isDescending ? -1 : 1;
  return (one, other) => sign * field(one, other) || fields.name(one, other);
}
