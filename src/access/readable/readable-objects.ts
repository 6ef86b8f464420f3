/** The objects, projects and flags that a caller may read. */

import type { ProjectView } from '../../catalog/project-views.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { Access } from '../../kube/api/reviews.ts';
import type { Ref } from '../../model/object.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import { project } from '../../schema/project.ts';
import type { Known } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';

interface ReadRequest<T> {
  readonly caller: Caller;
  /** The plural of the kind. */
  readonly resource: string;
  readonly refOf: (object: T) => Ref;
}

/**
 * The readable objects, in their order. A caller who may read all objects of a namespace needs no review for each of
 * them.
 */
export async function readableObjects<T>(
  objects: readonly T[],
  { caller, resource, refOf }: ReadRequest<T>,
): Promise<readonly T[]> {
  const mayRead = (place: Omit<Access, 'verb' | 'resource'>) => hasAccess(caller, { verb: 'get', resource, ...place });
  const namespaces = [...new Set(objects.map((one) => refOf(one).namespace))];
  const whole = new Set(await picked(namespaces, (namespace) => mayRead({ namespace })));
  return picked(objects, async (one) => {
    const { namespace, name } = refOf(one);
    return whole.has(namespace) || mayRead({ namespace, name });
  });
}

/** Whether a Kubernetes user has the access; callers with permissions of Vexil have it. */
export async function hasAccess(caller: Caller, access: Access): Promise<boolean> {
  return (await caller.refusal({ permission: 'NONE', accesses: [access] })) === undefined;
}

export async function picked<T>(all: readonly T[], isWanted: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const verdicts = await Promise.all(all.map(isWanted));
  return all.filter((_, index) => verdicts[index]);
}

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
  const readable = await picked(namespaces, (namespace) =>
    hasAccess(parts.caller, { verb: 'get', resource: featureFlag.plural, namespace }),
  );
  return views.filter((view) => readable.includes(view.project.metadata.namespace));
}

interface ReadableFlag {
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
