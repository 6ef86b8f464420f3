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

/** The use of one flag by one application in one environment; times of arrival in ms since 1970. */
export interface Sighting {
  readonly environment: string;
  readonly appName: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What is known about one flag in one environment; times of arrival in ms since 1970, undefined: never. */
export interface FlagUsage extends EnvironmentUsage {
  /** The applications that requested the flag since the time of the query, in order. */
  readonly appNames: readonly string[];
  /** Sums of the days (UTC) since the time of the query that have evaluations, in order. */
  readonly days: readonly (EvaluationCounts & { readonly at: number })[];
}

export interface ApplicationUsage {
  readonly environment: string;
  readonly flagUids: readonly string[];
}

/** An edge, as it names itself. */
export interface EdgeName {
  readonly appName: string;
  readonly instanceId: string;
}

export interface SeenEdge extends EdgeName {
  readonly environment: string;
  readonly lastAt: number;
}

export interface Application {
  readonly appName: string;
  /** Names of the strategies that the SDKs of the application know, in order. */
  readonly strategies: readonly string[];
  /** The environments in which the SDKs of the application registered or reported, in the order of the names. */
  readonly environments: readonly {
    readonly environment: string;
    /** Instances that reported within a day. */
    readonly instanceCount: number;
    /** For example `unleash-client-node:6.12.1`, in order. */
    readonly sdkVersions: readonly string[];
    readonly lastAt: number;
  }[];
  /** The uids of the flags that the application requested, by environment; at most 10,000. */
  readonly usage: readonly ApplicationUsage[];
  /** The edges through which reports came within a day, the most recent first; at most 10. */
  readonly edges: readonly SeenEdge[];
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
  /** The number of matches on all pages. */
  readonly total: number;
}

/** An SDK that reported within a day. Addresses are not kept. */
export interface SdkInstance {
  /** The connection id; for SDKs without one, the instance id. */
  readonly instanceId: string;
  /** For example `unleash-client-node:6.12.1`. */
  readonly sdkVersion: string | undefined;
  readonly lastAt: number;
}

export interface SdkVersion {
  readonly sdkVersion: string;
  /** The names of the applications, in order. */
  readonly appNames: readonly string[];
}

/** A name that an application requested within a day and that no live flag had. */
export interface UnknownFlag {
  readonly name: string;
  /** Present if a flag with this name was archived when the report arrived. */
  readonly archivedUid: string | undefined;
  readonly environment: string;
  readonly appName: string;
  readonly lastAt: number;
}

/**
 * Synchronous members answer from memory, even if the database cannot be reached. All others then reject with Refusal
 * `unavailable`, and with `busy` if too many reads wait: an answer can omit their numbers and say so.
 */
export interface UsageReader {
  /** Since when the database cannot be reached, in ms since 1970; undefined if it can be reached. */
  readonly awaySince: () => number | undefined;
  /**
   * The last time that a flag was evaluated, by environment, in ms since 1970. Counts of other replicas arrive within a
   * minute.
   */
  readonly lastSeen: (flagUid: string) => ReadonlyMap<string, number>;
  /** The edge that the last evaluation was reported through, by environment; as recent as `lastSeen`. */
  readonly lastEdges: (flagUid: string) => ReadonlyMap<string, EdgeName>;
  /** The evaluations of the last full hour and the present one, by environment. They are as recent as `lastSeen`. */
  readonly lastHour: (flagUid: string) => ReadonlyMap<string, EvaluationCounts>;
  /** The same, read from the database: as recent as `countsOf`. */
  lastHourOf(flagUid: string): Promise<ReadonlyMap<string, EvaluationCounts>>;

  /** Ordered by time, environment and application; at most 50,000 rows, the newest. */
  countsOf(flagUid: string, query: CountsQuery): Promise<readonly CountRow[]>;
  /** The applications that requested each flag since a time; a flag without any is not in the map. */
  applicationsOf(flagUids: readonly string[], since: number): Promise<ReadonlyMap<string, readonly Sighting[]>>;
  /**
   * The environments of each flag, in order; `days` since that time. A flag that was never requested is not in the map.
   */
  summaryOf(flagUids: readonly string[], since: number): Promise<ReadonlyMap<string, readonly FlagUsage[]>>;

  applications(query: ApplicationsQuery): Promise<ApplicationPage>;
  application(appName: string): Promise<Application | undefined>;
  /** Most recent first; at most 1,000. */
  instances(appName: string, environment: string): Promise<readonly SdkInstance[]>;
  /** The SDK versions that reported within a day, in order. */
  sdkVersions(): Promise<readonly SdkVersion[]>;
  /** Most recent first; at most 1,000. */
  unknownFlags(): Promise<readonly UnknownFlag[]>;
  /** Deletes an application with its instances and sightings; its counts stay. Its next report adds it again. */
  forget(appName: string): Promise<void>;
}
