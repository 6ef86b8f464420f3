/** The projects that a caller may read. */
import type { ProjectView } from '../../catalog/project-views.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import { project } from '../../schema/project.ts';
import type { Known } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';
import { picked, readableObjects } from './readable-objects.ts';

/** The readable projects, in the order of the catalog. */
export async function readableProjects({
  catalog,
  caller,
}: Known & { readonly caller: Caller }): Promise<readonly ProjectView[]> {
  const views = catalog.projects().flatMap((one) => catalog.view(wireNameOf(one)) ?? []);
  return readableObjects(views, { caller, resource: project.plural, refOf: (view) => view.project.metadata });
}

/** The readable projects in namespaces in which the caller may read every flag. */
export async function projectsOfReadableFlags(
  parts: Known & { readonly caller: Caller },
): Promise<readonly ProjectView[]> {
  const views = await readableProjects(parts);
  const namespaces = [...new Set(views.map((view) => view.project.metadata.namespace))];
  const readable = await picked(namespaces, async (namespace) => {
    const accesses = [{ verb: 'get', resource: featureFlag.plural, namespace }];
    return (await parts.caller.refusal({ permission: 'NONE', accesses })) === undefined;
  });
  return views.filter((view) => readable.includes(view.project.metadata.namespace));
}
