/** An entry of the history: one audit event of an object. */
import type { JsonObject } from '../../model/json.ts';
import type { AuditEventType } from './event-types.ts';

export interface Tag {
  readonly type: string;
  readonly value: string;
}

/** One audit event of a step of an object; a step may cause several (docs/unleash-compatibility.md#event-order). */
export interface AuditEvent {
  readonly type: AuditEventType;
  /** Wire names. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly featureName: string | null;
  readonly data: JsonObject | null;
  readonly preData: JsonObject | null;
  /** Those of the flag at that time. */
  readonly tags: readonly Tag[];
  /**
   * Sets it apart from others of its type and environment in one step: the key of a strategy, a tag, a member; else
   * empty.
   */
  readonly subject: string;
  /** Of what a plan of the flag did: when, in ms since 1970, and in which version of the step the plan is. */
  readonly moment?: { readonly at: number; readonly plan: 'before' | 'after' } | undefined;
}

/** Who did it. */
export interface Actor {
  /** For people: e-mail address, username, name of a token, or what Kubernetes calls them. */
  readonly createdBy: string;
  /** The id of a FlagUser; -42 admin token, -1 not known to Vexil, -1337 Vexil itself. */
  readonly createdByUserId: number;
  /** The address of a caller of the admin API. */
  readonly ip: string | null;
}

/** The step of an object between two of its versions. */
export interface StepPlace {
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  /** `metadata.name`. */
  readonly object: string;
  readonly uid: string;
  /** The resourceVersion that the step started from; empty: the object is new. */
  readonly fromVersion: string;
  readonly toVersion: string;
  /** Several changes recorded as one, because the versions between them are gone. */
  readonly coalesced: boolean;
}

export interface NewEntry extends Omit<AuditEvent, 'moment'>, Actor, StepPlace {
  /** Unique, and the same on every replica: the name of the Event follows from it. */
  readonly key: string;
  /** Ms since 1970. */
  readonly createdAt: number;
  /** It happened between then and `createdAt`, in ms since 1970; null: at `createdAt`. */
  readonly earliestAt: number | null;
  /** It came from an Event, as the archive was lost: texts that look like e-mail addresses are masked in it. */
  readonly restored: boolean;
}

/** An entry with the place that the archive gave it; ids only grow. */
export interface Entry extends NewEntry {
  readonly id: number;
}

/** What a caller may see; of what belongs to no project only what happened to objects of `resources`. */
export interface Visible {
  /** Everything that belongs to a project in these namespaces. */
  readonly namespaces: readonly string[];
  readonly projects: readonly { readonly namespace: string; readonly id: string }[];
  /** Plurals of kinds. */
  readonly resources: readonly string[];
}

/** All conditions hold together; of a list any value will do; absent: no condition. */
export interface EntryFilter {
  /** Contained in data, preData or tags as JSON text, whatever its case; no character means anything but itself. */
  readonly text?: string | undefined;
  readonly features?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  /** Contained in the name of the author, whatever its case. */
  readonly author?: string | undefined;
  /** User ids. */
  readonly createdBy?: readonly number[] | undefined;
  /** Ms since 1970, inclusive. */
  readonly from?: number | undefined;
  /** Ms since 1970, exclusive. */
  readonly until?: number | undefined;
  /** Absent: all there is. */
  readonly visible?: Visible | undefined;
  /** The reader sees e-mail addresses masked: a text that is found only in what is masked is not found. */
  readonly masked?: boolean | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Counting stops beyond so many matches. Absent: all are counted. */
  readonly countUpTo?: number;
}

export interface Found {
  /** The newest first, by time and then id. */
  readonly entries: readonly Entry[];
  /** How many match, whatever the page. */
  readonly total: number;
  /** Counting stopped at `countUpTo`: at least one more matches. */
  readonly totalIsAtLeast?: true;
}
