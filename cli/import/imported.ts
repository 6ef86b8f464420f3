/** What is read from a document of another product: objects of Vexil before they have a namespace. */
import type { KindName, SpecOf } from '../../src/schema/kinds.ts';
import type { Unmapped } from './unmapped.ts';

export interface ImportedObject<N extends KindName = KindName> {
  readonly kind: N;
  /** On the wire. */
  readonly name: string;
  readonly spec: SpecOf<N>;
}

export interface Imported {
  readonly objects: readonly ImportedObject[];
  readonly unmapped: readonly Unmapped[];
}

export interface ImportOptions {
  /** Of flags whose document has no environments. */
  readonly environment: string;
  /** Of all flags; undefined: as the document says, or else `default`. */
  readonly project: string | undefined;
}
