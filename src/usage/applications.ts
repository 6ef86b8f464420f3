/**
 * Remembers in memory which applications, instances and unknown names were reported since the last flush, within
 * limits.
 */
import { OTHER } from './counters.ts';
import type { EdgeName } from './usage.ts';

/** What an SDK states about itself. */
export interface ReportedSdk {
  readonly environment: string;
  readonly appName: string;
  /** For example `unleash-client-node:6.12.1`; empty if unknown. */
  readonly sdkVersion: string;
  /** Undefined if it is not known, or for a browser. */
  readonly instanceId: string | undefined;
  /** Names of strategies; undefined if not reported. */
  readonly strategies: readonly string[] | undefined;
  /** The edges that the report came through, the nearest to the SDK first. */
  readonly via?: readonly EdgeName[] | undefined;
}

export interface ReportedName {
  readonly name: string;
  readonly environment: string;
  readonly appName: string;
  /** The uid of the archived flag with this name; empty if there is none. */
  readonly archivedUid: string;
}

type Seen<T> = T & { readonly at: number };

export interface Presence {
  readonly sdks: readonly Seen<ReportedSdk>[];
  readonly names: readonly Seen<ReportedName>[];
}

const MAX_APPLICATIONS = 2_000;
const MAX_INSTANCES = 10_000;
const MAX_NAMES = 1_000;
/** The edges of one SDK between two flushes. */
const MAX_VIA = 10;

interface Applications {
  /** The name under which an application is counted: `other` above the limit. */
  nameFor(appName: string): string;
  /** Sets the names of the applications in the database. */
  setKnown(appNames: readonly string[]): void;
  /** `at` is in ms since 1970, here and below. */
  addSdk(sdk: ReportedSdk, at: number): void;
  addName(name: ReportedName, at: number): void;
  /** Returns the SDKs and names that were reported since the last call, and removes them. */
  take(): Presence;
}

export function createApplications(): Applications {
  let known = new Set<string>();
  let sdks = new Map<string, Seen<ReportedSdk>>();
  let names = new Map<string, Seen<ReportedName>>();
  return {
    nameFor(appName) {
      if (known.has(appName)) return appName;
      if (known.size >= MAX_APPLICATIONS) return OTHER;
      known.add(appName);
      return appName;
    },
    setKnown(appNames) {
      known = new Set(appNames);
    },
    addSdk(sdk, at) {
      const key = `${sdk.appName}\n${sdk.environment}\n${sdk.instanceId ?? `\n${sdk.sdkVersion}`}`;
      const before = sdks.get(key);
      if (!before && sdks.size >= MAX_INSTANCES) return;
      const strategies = sdk.strategies ?? before?.strategies;
      sdks.set(key, { ...sdk, strategies, via: mergeVia(sdk.via, before?.via), at });
    },
    addName(name, at) {
      const key = `${name.name}\n${name.environment}\n${name.appName}`;
      if (names.size < MAX_NAMES || names.has(key)) names.set(key, { ...name, at });
    },
    take() {
      const taken = { sdks: [...sdks.values()], names: [...names.values()] };
      sdks = new Map();
      names = new Map();
      return taken;
    },
  };
}

/** Requests of one SDK may take several edges. */
function mergeVia(some: ReportedSdk['via'], before: ReportedSdk['via']): ReportedSdk['via'] {
  if (!some || !before) return some ?? before;
  const byName = new Map([...some, ...before].map((edge) => [`${edge.appName}\n${edge.instanceId}`, edge]));
  return [...byName.values()].slice(0, MAX_VIA);
}
