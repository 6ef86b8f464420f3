/** The interface for reading what SDKs have reported. */
import type { EnvironmentUsage } from '../domain/usage/flag-in-use.ts';

/** Evaluations, by their result. */
export interface EvaluationCounts {
  readonly yes: number;
  readonly no: number;
}

/** Evaluations of one flag in one environment by one application within one hour or one day (UTC). */
export interface CountRow extends EvaluationCounts {
  readonly environment: string;
  /** `other`: applications above the limit. */
  readonly appName: string;
  /** The start of the hour or the day, in ms since 1970. */
  readonly at: number;
  /** Evaluations by variant. */
  readonly variants: Readonly<Record<string, number>>;
}

export interface CountsQuery {
  /** Hours are kept for `VEXIL_USAGE_HOURLY_RETENTION`, days for `VEXIL_USAGE_DAILY_RETENTION`. */
  readonly grain: 'hour' | 'day';
  /** Ms since 1970; rows that start before are left out. */
  readonly since: number;
}

/** When one application asked for one flag in one environment; times of arrival in ms since 1970. */
export interface Sighting {
  readonly environment: string;
  readonly appName: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What is known of one flag in one environment; times of arrival in ms since 1970, undefined: never. */
export interface FlagUsage extends EnvironmentUsage {
  /** Those that asked since the time of the query, in order. */
  readonly appNames: readonly string[];
  /** Sums of the days (UTC) since the time of the query that have evaluations, in order. */
  readonly days: readonly (EvaluationCounts & { readonly at: number })[];
}

export interface ApplicationUsage {
  readonly environment: string;
  readonly flagUids: readonly string[];
}

export interface Application {
  readonly appName: string;
  /** Names of the strategies that its SDKs know, in order. */
  readonly strategies: readonly string[];
  /** The environments in which its SDKs registered or reported, in order of the names. */
  readonly environments: readonly {
    readonly environment: string;
    /** Instances that reported within a day. */
    readonly instanceCount: number;
    /** Such as `unleash-client-node:6.12.1`, in order. */
    readonly sdkVersions: readonly string[];
    readonly lastAt: number;
  }[];
  /** The uids of the flags that it asked for, by environment; at most 10,000. */
  readonly usage: readonly ApplicationUsage[];
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ApplicationsQuery {
  /** Part of the name, in any case; undefined: all. */
  readonly query: string | undefined;
  readonly offset: number;
  /** At most 1,000. */
  readonly limit: number;
  readonly sort: { readonly by: 'appName' | 'lastAt'; readonly order: 'asc' | 'desc' };
  /** Only applications that asked for one of these flags; undefined: all. */
  readonly flagUids?: ReadonlySet<string> | undefined;
}

export interface ApplicationPage {
  readonly applications: readonly Application[];
  /** Of all pages. */
  readonly total: number;
}

/** An SDK that reported within a day. Addresses are not kept. */
export interface SdkInstance {
  /** The connection id; of SDKs without one their instance id. */
  readonly instanceId: string;
  /** Such as `unleash-client-node:6.12.1`. */
  readonly sdkVersion: string | undefined;
  readonly lastAt: number;
}

export interface SdkVersion {
  readonly sdkVersion: string;
  /** In order. */
  readonly appNames: readonly string[];
}

/** A name that an application asked for within a day and that no live flag had. */
export interface UnknownFlag {
  readonly name: string;
  /** The flag of that name was archived when the report came. */
  readonly archivedUid: string | undefined;
  readonly environment: string;
  readonly appName: string;
  readonly lastAt: number;
}

/**
 * Synchronous members answer from memory, also while the database cannot be reached. All others reject with Refusal
 * `unavailable` then, and with `busy` if too many reads wait: an answer can do without their numbers and say so.
 */
export interface UsageReader {
  /** Since when the database could not be reached, in ms since 1970; undefined: it can be reached. */
  readonly awaySince: () => number | undefined;
  /**
   * By environment, the last time that a flag was evaluated, in ms since 1970. Counts of other replicas arrive within a
   * minute.
   */
  readonly lastSeen: (flagUid: string) => ReadonlyMap<string, number>;
  /** By environment, the evaluations of the last full hour and the present one. As recent as `lastSeen`. */
  readonly lastHour: (flagUid: string) => ReadonlyMap<string, EvaluationCounts>;

  /** By time, environment and application; at most 50,000 rows, the newest. */
  countsOf(flagUid: string, query: CountsQuery): Promise<readonly CountRow[]>;
  /** By flag, which applications asked since a time; a flag without any is not in the map. */
  applicationsOf(flagUids: readonly string[], since: number): Promise<ReadonlyMap<string, readonly Sighting[]>>;
  /** By flag, its environments in order; `days` since that time. A flag that was never asked for is not in the map. */
  summaryOf(flagUids: readonly string[], since: number): Promise<ReadonlyMap<string, readonly FlagUsage[]>>;

  applications(query: ApplicationsQuery): Promise<ApplicationPage>;
  application(appName: string): Promise<Application | undefined>;
  /** Most recent first; at most 1,000. */
  instances(appName: string, environment: string): Promise<readonly SdkInstance[]>;
  /** The SDK versions that reported within a day, in order. */
  sdkVersions(): Promise<readonly SdkVersion[]>;
  /** Most recent first; at most 1,000. */
  unknownFlags(): Promise<readonly UnknownFlag[]>;
  /** Deletes an application with its instances and sightings; its counts stay. It comes back with its next report. */
  forget(appName: string): Promise<void>;
}
