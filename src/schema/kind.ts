/** What the program knows of a kind: its names in the API, its shape, and how people see it. */
import type { z } from 'zod';

export const GROUP = 'vexil.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** A rule over the whole object, for what a rule at `spec` would miss (it does not run when spec is removed). */
export interface RootRule {
  readonly rule: string;
  readonly message: string;
  /** The field that a refusal names. */
  readonly fieldPath: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority?: 0 | 1;
}

/** A map in the spec whose items mean something as a whole. */
export interface ItemMap {
  /** Where it stands, from the spec down; `*` is any key. */
  readonly at: readonly string[];
  /** The member that says where an item stands among the others (absent: 0): who holds anything of the item holds its place. */
  readonly order: string;
  /** The member without which an item is refused. */
  readonly needs: string;
}

export interface Kind<Spec, Status> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<Status>;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly rootRules: readonly RootRule[];
  /** Members of the status that nothing else tells: they are read even where the rest was written under another schema. */
  readonly lasting: readonly string[];
  /** Keys of the spec whose values are free-form: a null inside is the user's, everywhere else null means absent. */
  readonly freeForm: readonly string[];
  /** Maps at the top of the spec whose entries fail alone: one bad entry is left out, its neighbours stay. */
  readonly isolated: readonly string[];
  /** Absent: there is none. */
  readonly items?: readonly ItemMap[];
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
      description: 'Why it is or is not ready.',
      priority: 1,
    },
    {
      name: 'Changed by',
      type: 'string',
      jsonPath: '.status.changedBy',
      description: 'Who wrote the present spec.',
      priority: 1,
    },
  ];
}
