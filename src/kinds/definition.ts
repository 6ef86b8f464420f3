/** The definition of a kind for the operator: indexes, triggers, reconcile. */
import type { EventMapping } from '../audit/derive/kind.ts';
import type { Shapes } from '../audit/derive/shapes.ts';
import type { Cached, Caches, NameClaims } from '../catalog/cached.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FurtherCondition } from '../domain/judgement/findings.ts';
import type { Verdict } from '../domain/judgement/verdict.ts';
import type { SinkProgress } from '../domain/sink/sink-progress.ts';
import type { SinkSecret } from '../domain/sink/sink-secret.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { IndexKeys } from '../kube/cache/secondary-index.ts';
import type { OwnedField } from '../kube/write/owned-fields.ts';
import type { Kind } from '../model/kind.ts';
import type { CustomObject, Ref } from '../model/object.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { KindName, SpecOf, StatusOf } from '../schema/kinds.ts';
import type { NotificationSink } from '../schema/notification-sink.ts';
import type { Judged, Report } from './apply-status.ts';
import type { Changeable } from './clone-writes.ts';
import type { Enqueue } from './enqueue.ts';
import type { Ids } from './integer-ids.ts';

/** `Index` names the indexes of the kind's cache. */
export interface KindDefinition<S, T, Index extends string> {
  readonly kind: Kind<S, T>;
  readonly indexes: Readonly<Record<Index, IndexKeys<S, T>>>;
  /** How many objects are reconciled at the same time. */
  readonly concurrency: number;
  /**
   * Subscribes to every change after which an object of the kind must be reconciled. Returns the functions that end the
   * subscriptions.
   */
  readonly triggers: (parts: TriggerParts<CustomObject<S, T>, Index>) => readonly (() => void)[];
  /**
   * Called once for each term of the leader. The result gathers what an object depends on, and returns the required
   * status.
   */
  readonly judge: (parts: JudgeParts) => Judge<S, T>;
  /** Maps changes of the kind to audit events. */
  readonly auditMapping: (shapes: Shapes) => EventMapping<CustomObject<S, T>>;
}

export type Judge<S, T> = (object: CustomObject<S, T>, report: Report) => Verdict<T> | Promise<Verdict<T>>;

export interface TriggerParts<T, Index extends string> {
  /** The cache of the kind itself. */
  readonly own: Cached<T, Index>;
  readonly caches: Caches;
  readonly claims: NameClaims;
  /** Adds to the queue of the kind itself. */
  readonly enqueue: Enqueue;
}

export interface JudgeParts {
  readonly catalog: Catalog;
  readonly resources: TermResources;
  readonly ids: Ids;
  /** The conditions in a flag's status that follow from its use. */
  readonly usageConditions: (flag: FeatureFlag) => readonly FurtherCondition[];
  readonly secrets: SecretsClient;
  /** Whether a Kubernetes user may do something. */
  readonly allows: Reviews['allows'];
  readonly sinks: SinkJudgeParts;
  readonly requests: RequestJudgeParts;
  /** Hex digits of 28 random bytes. */
  readonly newDigits: () => string;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface RequestJudgeParts {
  /** How long change requests are kept after their end; undefined: forever. */
  readonly retentionMs: number | undefined;
  /** The history has all changes up to this time, in ms since 1970; undefined: it does not follow all kinds now. */
  readonly recordedUntil: () => number | undefined;
}

export interface SinkJudgeParts {
  readonly secretOf: (sink: NotificationSink) => Promise<SinkSecret>;
  /** Undefined: the delivery has not begun. */
  readonly progressOf: (sink: NotificationSink) => SinkProgress | undefined;
  /** The operator namespace. */
  readonly home: string;
  readonly refusalOf: (address: string, url: string) => string | undefined;
  /** How often a status follows the deliveries. */
  readonly statusMs: number;
  readonly isServed: (sink: NotificationSink) => boolean;
}

/** The caches of all kinds, with the writes that a leader may make during its term. */
export type TermResources = { readonly [N in KindName]: TermResource<SpecOf<N>, StatusOf<N>> };

export interface TermResource<S, T> extends Cached<CustomObject<S, T>>, Judged<S, T>, Changeable<S, T> {
  /** The fields of protected managers in the whole spec. */
  ownedIn(object: CustomObject<S, T>): readonly OwnedField[];
  /** Reads the object from the API server. */
  live(ref: Ref): Promise<CustomObject<S, T>>;
}
