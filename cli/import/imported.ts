/** The content of a document of another product, as objects of Vexil without a namespace. */
import type { KindName, SpecOf } from '../../src/schema/kinds.ts';
import type { Unmapped } from './unmapped.ts';

export interface ImportedObject<N extends KindName = KindName> {
  readonly kind: N;
  /** The wire name. */
  readonly name: string;
  readonly spec: SpecOf<N>;
}

export interface Imported {
  readonly objects: readonly ImportedObject[];
  readonly unmapped: readonly Unmapped[];
}

export function together(parts: readonly Imported[]): Imported {
  return {
    objects: parts.flatMap(({ objects }) => objects),
    unmapped: parts.flatMap(({ unmapped }) => unmapped),
  };
}

export interface ImportOptions {
  /** The environment of flags whose document has no environments. */
  readonly environment: string;
  /** The project of all flags; if undefined, that of the document, or `default`. */
  readonly project: string | undefined;
  /** Whether an export of one environment in which every flag is on is believed; absent: no. */
  readonly trustSwitches?: boolean;
  /** All documents of the import: some products have their segments in another one. */
  readonly documents?: readonly unknown[];
}
