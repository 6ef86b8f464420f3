/** The flags of the projects that a caller may read, by uid. */
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Known } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';
import { readableProjects } from './readable-projects.ts';

export interface ReadableFlag {
  readonly flag: FeatureFlag;
  /** The id of its project. */
  readonly project: string;
}

export interface ReadableFlags {
  readonly byUid: ReadonlyMap<string, ReadableFlag>;
  /** Whether the caller may read every project, and so also what belongs to no project. */
  readonly isEverything: boolean;
}

export async function readableFlags(services: Known & { readonly caller: Caller }): Promise<ReadableFlags> {
  const views = await readableProjects(services);
  const found = views.flatMap(({ project, flags }) =>
    flags.map((flag) => [flag.metadata.uid, { flag, project: wireNameOf(project) }] as const),
  );
  return { byUid: new Map(found), isEverything: views.length === services.catalog.projects().length };
}
