/** An entry of the history: one audit event of an object. */
import type { JsonObject } from '../../model/json.ts';
import { type KindName, kindNameOf } from '../../schema/kinds.ts';
import type { AuditEventType } from './event-types.ts';
import type { Channel, SearchedWay } from './way.ts';
import { FIELD_MANAGER_PREFIX, UNKNOWN_AUTHOR, type Witness } from './witness.ts';

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
  /** The tags of the flag at that time. */
  readonly tags: readonly Tag[];
  /**
   * Distinguishes the event from others of the same type and environment in one step: the key of a strategy, a tag, a
   * member; otherwise empty.
   */
  readonly subject: string;
  /**
   * For an event that a plan of the flag caused: its time in ms since 1970, and the version of the step that has the
   * plan.
   */
  readonly moment?: { readonly at: number; readonly plan: 'before' | 'after' } | undefined;
}

/** The ids of authors that are no FlagUsers. */
export const userIds = { unknownActor: -1, adminToken: -42, vexil: -1337 } as const;

/** The author of an event. */
export interface Actor {
  /** The name to show: e-mail address, username, name of a token, or the name in Kubernetes. */
  readonly createdBy: string;
  /** The id of a FlagUser, or one of `userIds`. */
  readonly createdByUserId: number;
  /** The address of a caller of the admin API. */
  readonly ip: string | null;
  /** Null: not known. */
  readonly channel: Channel | null;
  /** The field manager of a change that came through the API server, such as `kubectl-edit`; null: not known. */
  readonly fieldManager: string | null;
  /** Why the author made the change, in the words of the author. */
  readonly reason: string | null;
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
  /** The change happened between this time and `createdAt`, in ms since 1970; null: at `createdAt`. */
  readonly earliestAt: number | null;
  /**
   * The entry was restored from an Event after the archive was lost: texts that look like e-mail addresses are masked
   * in it.
   */
  readonly restored: boolean;
  /** What the audit log of the API server says about the author. Absent: nothing. It is stored apart from the entry. */
  readonly witness?: Witness;
}

/**
 * Whether the objects of a kind belong to a project in their namespace or are one, or are about a target, which may be
 * a flag of their namespace.
 */
const BELONGING: Readonly<Record<KindName, 'project' | 'target' | 'neither'>> = {
  flags: 'project',
  projects: 'project',
  changeRequests: 'target',
  changeApprovals: 'target',
  segments: 'neither',
  environments: 'neither',
  users: 'neither',
  roles: 'neither',
  tokens: 'neither',
  strategyTypes: 'neither',
  sinks: 'neither',
};

type About = Pick<NewEntry, 'project' | 'resource' | 'featureName'>;

/** Otherwise it may be about a segment: those of the operator namespace may belong to a project of any namespace. */
function isInProject({ resource, featureName }: About): boolean {
  const name = kindNameOf(resource);
  const belonging = name && BELONGING[name];
  return belonging === 'project' || (belonging === 'target' && featureName !== null);
}

/** Whether the entry is about an object that did not own its name, or named a project of another namespace. */
export function isWithoutEffect(entry: About): boolean {
  return entry.project === null && isInProject(entry);
}

export interface Namespaces {
  /** The namespace that a project id belongs to now; undefined: none. */
  readonly ofProject: (id: string) => string | undefined;
  /** The operator namespace. */
  readonly home: string;
}

/** The entry without its project if that belongs to another namespace now: at first, it may have belonged to none. */
export function judgedNow<T extends NewEntry>(entry: T, { ofProject, home }: Namespaces): T {
  const { project, namespace } = entry;
  if (project === null || (namespace === home && !isInProject(entry))) return entry;
  const owner = ofProject(project);
  return owner === undefined || owner === namespace ? entry : { ...entry, project: null };
}

/** An entry with the id that the archive gave it; ids only grow. */
export interface Entry extends NewEntry {
  readonly id: number;
}

export interface ProjectPlace {
  readonly namespace: string;
  readonly id: string;
}

/** What a caller may see. Of events that belong to no project, only those of objects of `resources`. */
export interface Visible {
  /** Everything that belongs to a project in these namespaces. */
  readonly namespaces: readonly string[];
  readonly projects: readonly ProjectPlace[];
  /** Plurals of kinds. */
  readonly resources: readonly string[];
}

/** All conditions must hold; any value of a list is enough; absent: no condition. */
export interface EntryFilter {
  /** A text in data, preData or tags as JSON text, ignoring case; no character is a wildcard. */
  readonly text?: string | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  /** The namespaces of some of these projects: only entries of that namespace belong to them, and those of `home`. */
  readonly projectsIn?: readonly ProjectPlace[] | undefined;
  /** The operator namespace, of which only entries about segments belong to projects of other namespaces. */
  readonly home?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly ways?: readonly SearchedWay[] | undefined;
  /** A text in the name of the author, ignoring case. */
  readonly author?: string | undefined;
  /** User ids. */
  readonly createdBy?: readonly number[] | undefined;
  /** Ms since 1970, inclusive. */
  readonly from?: number | undefined;
  /** Ms since 1970, exclusive. */
  readonly until?: number | undefined;
  /** Absent: everything is visible. */
  readonly visible?: Visible | undefined;
  /** The reader sees masked e-mail addresses: a text is not found if it only occurs in a masked part. */
  readonly masked?: boolean | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Counting stops beyond this number of matches. Absent: all matches are counted. */
  readonly countUpTo?: number;
}

export interface Found {
  /** The newest first, by time and then id. */
  readonly entries: readonly Entry[];
  /** The number of all matches, regardless of the page. */
  readonly total: number;
  /** Counting stopped at `countUpTo`: at least one more matches. */
  readonly totalIsAtLeast?: true;
}

/**
 * Says whether the entry stands for several changes, and between which times they happened; empty for one change at a
 * known time.
 */
export function precisionOf({ coalesced, earliestAt, createdAt }: NewEntry): string {
  const [from, to] = [earliestAt ?? createdAt, createdAt].map((time) => new Date(time).toISOString());
  const parts = [
    ...(coalesced ? ['several changes at once'] : []),
    ...(earliestAt === null ? [] : [`between ${from} and ${to}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Whether the entry says only which program made the change, or nothing. An anonymous caller of the API is known. */
export function isUnattributed({ createdBy, channel }: Pick<NewEntry, 'createdBy' | 'channel'>): boolean {
  const isElsewhere = channel === null || channel === 'kubernetes';
  return isElsewhere && (createdBy === UNKNOWN_AUTHOR || createdBy.startsWith(FIELD_MANAGER_PREFIX));
}

/** The entry as readers see it: an author in the log takes the place of nobody, and never that of a name. */
export function withWitness<T extends NewEntry>(entry: T, witness: Witness | undefined): T {
  if (witness === undefined) return entry;
  if (!isUnattributed(entry)) return { ...entry, witness };
  const { createdBy, createdByUserId, ip, fieldManager } = witness;
  return {
    ...entry,
    ...{ createdBy, createdByUserId, ip, channel: 'kubernetes', fieldManager: entry.fieldManager ?? fieldManager },
    witness,
  };
}
