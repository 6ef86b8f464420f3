/** Versions as they are read: which one of each object was in force at a time. */
import type { VersionContent } from './content.ts';

/** A scope whose versions are complete. All times are in ms since 1970. */
export interface VersionScope {
  readonly scope: string;
  readonly since: number;
  /** The revision of the cursor to which the versions belong. */
  readonly revision: number;
  /** The time up to which the versions are known to be complete. */
  readonly until: number;
}

/** The flags that are read: those of some projects, of all, or those with some names and all that have parents. */
export type WantedFlags =
  | { readonly of: 'all' }
  | { readonly of: 'projects'; readonly projects: readonly string[] }
  | { readonly of: 'names'; readonly names: readonly string[] };

export interface WantedVersions {
  readonly at: number;
  /** Kinds that are read as a whole, by their plurals. */
  readonly resources: readonly string[];
  readonly flags: WantedFlags;
}

/** A version that was in force, or may have been. */
export interface PastVersion {
  /** Undefined: the object did not exist. Unpacked when it is first read, which takes long for large objects. */
  readonly content: VersionContent | undefined;
  readonly generation: number;
}

export interface PastObject {
  readonly uid: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339 in UTC. */
  readonly created: string;
  /** The version that was in force if the uncertain change had not happened yet. */
  readonly before: PastVersion | undefined;
  /** The version that was in force if it had. The same as `before` if that is certain. */
  readonly after: PastVersion;
  /** When the change may have happened; undefined: what was in force is certain. */
  readonly span: PastSpan | undefined;
  /** Whether the archive has later versions of the object. Then it has all versions before them, too. */
  readonly hasLater: boolean;
}

export interface PastSpan {
  readonly from: number;
  readonly until: number;
  /** Versions in between may be missing. */
  readonly several: boolean;
}

export interface FoundVersions {
  readonly objects: readonly PastObject[];
  readonly scopes: readonly VersionScope[];
}

/** Where the objects of a kind are; an undefined namespace: in all. */
export interface VersionPlace {
  readonly resource: string;
  readonly namespace: string | undefined;
}

export interface LastVersion {
  readonly namespace: string;
  readonly name: string;
  /** The digest of the content; undefined: the object was deleted. */
  readonly digest: string | undefined;
}
