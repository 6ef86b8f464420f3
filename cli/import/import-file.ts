/** Turns files of another product into files of manifests that `vexil lint` accepts. */
import type { ManifestFile } from '../files/manifest-file.ts';
import { lint } from '../lint/lint.ts';
import type { Source } from '../manifests/source.ts';
import { missingObjects } from './complete.ts';
import { withoutConsequences } from './consequences.ts';
import type { Imported, ImportedObject, ImportOptions } from './imported.ts';
import { keepEnvironments } from './keep-environments.ts';
import { readImports } from './read-imports.ts';
import { type ImportTarget, settle } from './settle.ts';
import type { Unmapped } from './unmapped.ts';
import { manifestOf } from './write-manifests.ts';

export interface FileImport extends ImportTarget, ImportOptions {
  readonly sources: readonly Source[];
  /** The folder with files that are replaced: their other environments stay. */
  readonly replacing: string | undefined;
}

export interface ImportedFiles {
  readonly files: readonly ManifestFile[];
  readonly unmapped: readonly Unmapped[];
  /** Objects that flags need and the document does not have. */
  readonly added: readonly ImportedObject[];
}

/** Throws an InputError for a file of an unknown format. */
export async function importFiles(given: FileImport): Promise<ImportedFiles> {
  const all = await readImports(given.sources, given);
  return finishImport(given.replacing === undefined ? all : await keepEnvironments(all, given.replacing, given), given);
}

/** Adds what is missing, and leaves out what a cluster would refuse. */
export async function finishImport(read: Imported, target: ImportTarget): Promise<ImportedFiles> {
  const { context, namespace, now } = target;
  const { cluster } = await lint({ sources: context, context: [], namespace, now });
  const added = missingObjects(read.objects, cluster);
  const settled = await settle([...read.objects, ...added], target);
  const files = settled.objects.map((object) => manifestOf(object, target));
  return { files, added, unmapped: withoutConsequences([...read.unmapped, ...settled.unmapped]) };
}
