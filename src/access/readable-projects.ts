/** The projects that a caller may read. */
import type { ProjectView } from '../catalog/project-views.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { Caller } from './caller.ts';
import { type Known, toProject } from './requirements.ts';

const reading = toProject('get', 'NONE');

/** In the order of the catalog. A caller who may read all projects of a namespace needs no review for each project. */
export async function readableProjects(services: Known & { readonly caller: Caller }): Promise<ProjectView[]> {
  const { catalog, caller } = services;
  const views = catalog.projects().flatMap((project) => catalog.view(wireNameOf(project)) ?? []);
  const namespaces = [...new Set(views.map(({ project }) => project.metadata.namespace))];
  const whole = new Set(
    await picked(namespaces, async (namespace) => {
      const access = { verb: 'get', resource: 'projects', namespace };
      return (await caller.refusal({ permission: 'NONE', accesses: [access] })) === undefined;
    }),
  );
  return picked(views, async ({ project }) => {
    if (whole.has(project.metadata.namespace)) return true;
    return (await caller.refusal(reading.of(services, { projectId: wireNameOf(project) }))) === undefined;
  });
}

async function picked<T>(all: readonly T[], isWanted: (one: T) => Promise<boolean>): Promise<T[]> {
  const verdicts = await Promise.all(all.map(isWanted));
  return all.filter((_, index) => verdicts[index]);
}
