/** Flags to write to files. */
import type { ManifestFile } from '../files/manifest-file.ts';

export interface ExportedFlags {
  readonly files: readonly ManifestFile[];
  /** The namespace that was read; undefined if all were read. */
  readonly namespace: string | undefined;
  /** Notes for users, such as fields that are left out. */
  readonly notes: readonly string[];
}
