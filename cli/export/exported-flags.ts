/** Flags that are to be written to files. */
import type { ManifestFile } from '../files/manifest-file.ts';

export interface ExportedFlags {
  readonly files: readonly ManifestFile[];
  /** The namespace that was read; undefined: all. */
  readonly namespace: string | undefined;
  /** What people have to know of the export. */
  readonly notes: readonly string[];
}
