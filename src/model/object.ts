/** A custom resource in the form that the rest of the program uses: parsed once, on arrival from the API server. */

/** Reference to an object. All kinds are namespaced. */
export interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectMetadata extends Ref {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339 in UTC, in whole seconds, as written by the API server. */
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An owner of fields of the spec, from `metadata.managedFields`. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly time: string | undefined;
  /** The `f:spec` part of fieldsV1 as JSON; parsed, it would take more memory than the spec itself. */
  readonly fields: string;
}

/** A part of a stored spec that the schema rejects (written under an older schema, or without validation). */
export interface Defect {
  /** Keys below the spec: `['environments', 'production', 'strategies', 'a']`; empty for the spec itself. */
  readonly path: readonly string[];
  readonly message: string;
}

export interface CustomObject<Spec, Status> {
  readonly metadata: ObjectMetadata;
  /** The spec for rules: without nulls and without parts that have defects. */
  readonly spec: Spec;
  /**
   * The stored spec, cut where it is nested deeper than `MAX_DEPTH`. The same reference as `spec` if nothing was left
   * out.
   */
  readonly rawSpec: unknown;
  readonly status: Status | undefined;
  readonly defects: readonly Defect[];
  readonly owners: readonly FieldOwner[];
}

/** An object of any kind. */
export type AnyObject = CustomObject<unknown, unknown>;

export function keyOf(ref: Ref): string {
  return `${ref.namespace}/${ref.name}`;
}

/** The inverse of `keyOf`. */
export function refOf(key: string): Ref {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
