/** What is known about the use of one flag, for the rules that judge it. */
import { DAY_MS } from '../../model/clock.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { environmentTypeOf } from '../environment/environment-values.ts';
import { wireNameOf } from '../identity/names.ts';

/** Times of arrival in ms since 1970; undefined: never. */
export interface EnvironmentUsage {
  readonly environment: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly firstYesAt: number | undefined;
  readonly lastYesAt: number | undefined;
  readonly firstNoAt: number | undefined;
  readonly lastNoAt: number | undefined;
  /** The applications that asked in the last 24 hours, in order. */
  readonly appNames: readonly string[];
}

export interface FlagInUse {
  readonly flag: FeatureFlag;
  /** The environments of the flag's project, in their order. */
  readonly environments: readonly Environment[];
  /** The environments in which the flag is on. */
  readonly enabledIn: ReadonlySet<string>;
  /** One item for each environment in which the flag was requested. */
  readonly usage: readonly EnvironmentUsage[];
  /** The names of the flags that depend on this flag and are not archived, in order. */
  readonly dependents: readonly string[];
}

const PRODUCTION = 'production';
/** A request of the last 24 hours is recent. */
export const RECENT_MS = DAY_MS;

/** The names of the environments of type production. */
export function productionOf(environments: readonly Environment[]): ReadonlySet<string> {
  return new Set(environments.filter((one) => environmentTypeOf(one) === PRODUCTION).map(wireNameOf));
}

/** Undefined if the flag was never requested. */
export function lastAskedAt(usage: readonly EnvironmentUsage[]): number | undefined {
  return usage.length === 0 ? undefined : Math.max(...usage.map(({ lastAt }) => lastAt));
}

/** The names of the applications, each once, in order. */
export function applicationsIn(usage: readonly EnvironmentUsage[]): readonly string[] {
  return [...new Set(usage.flatMap(({ appNames }) => appNames))].sort();
}
