/** Where the flags that this process serves come from. */
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import type { PlannedFeature } from '../wire/client/for-edges.ts';

/** The flags that a client may see. */
export type Scope = Pick<SnapshotQuery, 'environment' | 'projects'>;

export interface ServedPlace {
  readonly name: string;
  readonly project: string;
  readonly tags: readonly string[];
}

/** A flag in an environment: the same object until what clients read of it changes. */
export interface OriginFlag extends ServedPlace {
  /** Makes the flag as its clients read it, with the segments that it uses; not kept. */
  read(): { readonly feature: ClientFeature; readonly segments: readonly ClientSegment[] };
  /** Makes what windows and ramps will change, in the order of time; empty for most flags. */
  plan(): readonly PlannedFeature[];
}

/** Flags that change together, such as those of a project: the same object until one of them changes. */
export interface FlagGroup {
  /** The flags in the order of their names, without archived ones. */
  flags(environment: string, isWanted?: (flag: ServedPlace) => boolean): Iterable<OriginFlag>;
}

/** The names of flags that may have changed. */
export type TouchedNames = readonly string[] | 'all';

export interface FlagOrigin {
  /** Another number after each change. */
  readonly version: () => number;
  readonly onTouched: (listener: (touched: TouchedNames) => void) => void;
  /** The groups of these projects, of all if undefined, in the order of their ids. */
  groups(projects: Scope['projects']): readonly FlagGroup[];
  /** Undefined if the flag does not exist, or not in these projects. */
  named(name: string, scope: Scope): OriginFlag | undefined;
}
