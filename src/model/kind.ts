/** The definition of a kind: its names in the API, its schema and its columns. */
import type { z } from 'zod';

export const GROUP = 'vexil.dev';

/** A version of the API in which the API server serves every kind. */
export interface ServedVersion {
  readonly name: string;
  /** Whether the API server stores objects in this version: true for exactly one. */
  readonly storage: boolean;
}

/** Newest first. All have the same schema, so the API server converts an object by changing `apiVersion` alone. */
export const VERSIONS: readonly ServedVersion[] = [
  { name: 'v1beta1', storage: false },
  { name: 'v1alpha1', storage: true },
];

/** The version that Vexil reads and writes. */
export const VERSION = 'v1beta1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** The values of `apiVersion` that Vexil accepts. */
export const API_VERSIONS: readonly string[] = VERSIONS.map(({ name }) => `${GROUP}/${name}`);

export function isServedVersion(apiVersion: unknown): boolean {
  return API_VERSIONS.some((one) => one === apiVersion);
}

/** A CEL rule at the root of the object. A rule at `spec` does not run when spec is removed. */
export interface RootRule {
  readonly rule: string;
  readonly message: string;
  /** The field that the rejection names. */
  readonly fieldPath: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 0: always shown; 1: only with `-o wide`. */
  readonly priority?: 0 | 1;
}

/** A map in the spec whose items are meaningful only as a whole. */
export interface ItemMap {
  /** The path below the spec; `*` is any key. */
  readonly at: readonly string[];
  /** The member that sorts the items (absent: 0). The owner of any field of an item also owns its position. */
  readonly order: string;
  /** The member that every item requires. */
  readonly needs: string;
}

export interface Kind<Spec, Status> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  /** Where objects of the kind exist: in every watched namespace, or only in the operator namespace. */
  readonly namespaces: 'watched' | 'operator';
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<Status>;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly rootRules: readonly RootRule[];
  /**
   * Members of the status that cannot be recomputed: they are read even if the rest was written under another schema.
   */
  readonly preservedStatus: readonly string[];
  /** Keys of the spec with free-form values: a null inside them is kept, everywhere else null means absent. */
  readonly preserveNulls: readonly string[];
  /** Maps at the top of the spec whose entries are parsed independently: only the invalid entry is left out. */
  readonly independentMaps: readonly string[];
  /** Absent if the kind has no such maps. */
  readonly items?: readonly ItemMap[];
}

type Names = 'plural' | 'singular';
type Lists = 'selectableFields' | 'rootRules' | 'preservedStatus' | 'preserveNulls' | 'independentMaps';
type Said<S, T> = Omit<Kind<S, T>, Names | Lists> & Partial<Pick<Kind<S, T>, Lists>>;

/** The names follow from that of the kind; lists that are left out are empty. */
export function defineKind<Spec, Status>(said: Said<Spec, Status>): Kind<Spec, Status> {
  const singular = said.kind.toLowerCase();
  const lists = { selectableFields: [], rootRules: [], preservedStatus: [], preserveNulls: [], independentMaps: [] };
  return { singular, plural: `${singular}s`, ...lists, ...said };
}

/** The last columns of every kind; `claim` completes "Whether …". */
export function closingColumns(claim: string): readonly PrinterColumn[] {
  const ready = '.status.conditions[?(@.type=="Ready")]';
  return [
    { name: 'Ready', type: 'string', jsonPath: `${ready}.status`, description: `Whether ${claim}.` },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since creation.' },
    {
      name: 'Message',
      type: 'string',
      jsonPath: `${ready}.message`,
      description: 'Message of the Ready condition.',
      priority: 1,
    },
    {
      name: 'Changed by',
      type: 'string',
      jsonPath: '.status.changedBy',
      description: 'The author of the current spec.',
      priority: 1,
    },
  ];
}
