/** A custom resource as the rest of the program sees it: parsed once, on arrival from the API server. */

/** Which object: kinds are namespaced, so a reference always carries both. */
export interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectMetadata extends Ref {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339 in UTC, whole seconds, as the API server writes it. */
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Who last wrote which fields of the spec, from `metadata.managedFields` (status and metadata entries left out). */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly time: string | undefined;
  /** The `f:spec` part of fieldsV1 as JSON: as objects these would take more memory than the spec itself. */
  readonly fields: string;
}

/** A part of a stored spec that its schema refuses (written under an older schema, or past its validation). */
export interface Defect {
  /** Keys from the spec down: `['environments', 'production', 'strategies', 'a']`; empty for the spec itself. */
  readonly path: readonly string[];
  readonly message: string;
}

export interface CustomObject<Spec, Status> {
  readonly metadata: ObjectMetadata;
  /** What the rules read: nulls are absent, parts with defects are left out. */
  readonly spec: Spec;
  /**
   * What the API server holds, cut where it is nested deeper than `MAX_DEPTH`. The same reference as `spec` where nothing
   * had to be left out.
   */
  readonly rawSpec: unknown;
  readonly status: Status | undefined;
  readonly defects: readonly Defect[];
  readonly owners: readonly FieldOwner[];
}

export function keyOf(ref: Ref): string {
  return `${ref.namespace}/${ref.name}`;
}

/** The reference that `keyOf` made a key of. */
export function refOf(key: string): Ref {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
