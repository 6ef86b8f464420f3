/** The projects that a caller may read. */
import type { ProjectView } from '../catalog/project-views.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { project } from '../schema/project.ts';
import type { Caller } from './caller.ts';
import { readableObjects } from './readable-objects.ts';
import type { Known } from './requirements.ts';

/** In the order of the catalog. */
export async function readableProjects({
  catalog,
  caller,
}: Known & { readonly caller: Caller }): Promise<readonly ProjectView[]> {
  const views = catalog.projects().flatMap((one) => catalog.view(wireNameOf(one)) ?? []);
  return readableObjects(views, { caller, resource: project.plural, refOf: (view) => view.project.metadata });
}
