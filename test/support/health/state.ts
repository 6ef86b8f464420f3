/** A state of an object by the reason in its status, and how it comes about. */
import type { Manifest } from '../builders.ts';

/** `current`: in effect; `waits`: it may take effect without an edit; `failed`: only an edit helps. */
export type Prospect = 'current' | 'waits' | 'failed';

export interface State {
  readonly what: string;
  readonly prospect: Prospect;
  /** The objects; the last one has the state. */
  readonly objects: readonly Manifest[];
  /** The finding to write into the status, if no test can bring about the state. If absent, the operator reports it. */
  readonly finding?: { readonly severity: 'Error' | 'Warning'; readonly path: readonly string[] };
}
