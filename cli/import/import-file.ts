/** Turns a file of another product into files of manifests that `vexil lint` accepts. */
import type { ManifestFile } from '../files/manifest-file.ts';
import { lint } from '../lint/lint.ts';
import type { Source } from '../manifests/source.ts';
import { missingObjects } from './complete.ts';
import type { ImportedObject, ImportOptions } from './imported.ts';
import { readDocument } from './read-document.ts';
import { settle } from './settle.ts';
import type { Unmapped } from './unmapped.ts';
import { manifestOf, type Namespaces } from './write-manifests.ts';

export interface FileImport extends Namespaces, ImportOptions {
  readonly source: Source;
  /** Objects that exist already. */
  readonly context: readonly Source[];
  /** Ms since 1970. */
  readonly now: number;
}

export interface ImportedFiles {
  readonly files: readonly ManifestFile[];
  readonly unmapped: readonly Unmapped[];
  /** Objects that flags need and the document does not have. */
  readonly added: readonly ImportedObject[];
}

export async function importFile(given: FileImport): Promise<ImportedFiles> {
  const { source, context, namespace, now } = given;
  const read = await readDocument(source, given);
  const { cluster } = await lint({ sources: context, context: [], namespace, now });
  const added = missingObjects(read.objects, cluster);
  const settled = await settle([...read.objects, ...added], given);
  const files = settled.objects.map((object) => manifestOf(object, given));
  return { files, added, unmapped: [...read.unmapped, ...settled.unmapped] };
}
