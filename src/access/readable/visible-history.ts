/** The part of the history that a caller may see. */
import type { EntryFilter, Visible } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import { kinds } from '../../schema/kinds.ts';
import { project } from '../../schema/project.ts';
import { EVERYWHERE, type Known, toSearchUsers } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';
import { hasAccess, picked, readableProjects } from './readable-objects.ts';

/** Kinds whose events may belong to no project. */
const withoutProject = kinds.filter(({ plural }) => plural !== featureFlag.plural && plural !== project.plural);

type Parts = Known & { readonly caller: Caller };

/** The part of a filter that follows from the permissions of the caller. */
export async function visibleTo(parts: Parts): Promise<Pick<EntryFilter, 'visible' | 'masked'>> {
  const [visible, masked] = await Promise.all([visibleHistory(parts), isMaskedFor(parts)]);
  return { visible, masked };
}

/** Whether e-mail addresses in the names of authors are masked: the caller may not see users. */
export async function isMaskedFor(parts: Parts): Promise<boolean> {
  return (await parts.caller.refusal(toSearchUsers.of(parts, undefined))) !== undefined;
}

/** Whether the caller may read the history of everything. */
export async function mayReadWholeHistory(parts: Parts): Promise<boolean> {
  return (await visibleHistory(parts)) === undefined;
}

/** Undefined: everything. A caller who may read all projects of a namespace also sees events of deleted projects. */
async function visibleHistory(parts: Parts): Promise<Visible | undefined> {
  const mayReadProjects = (namespace: string) =>
    hasAccess(parts.caller, { verb: 'get', resource: project.plural, namespace });
  const [[everywhere], listed] = await Promise.all([
    picked([EVERYWHERE], mayReadProjects),
    picked(withoutProject, (kind) => mayList(parts, kind)),
  ]);
  if (everywhere !== undefined && listed.length === withoutProject.length) return undefined;
  const resources = listed.map(({ plural }) => plural);
  const [namespaces, readable] = await Promise.all([
    picked(namespacesOf(parts), mayReadProjects),
    readableProjects(parts),
  ]);
  const projects = readable
    .map((view) => ({ namespace: view.project.metadata.namespace, id: wireNameOf(view.project) }))
    .filter(({ namespace }) => !namespaces.includes(namespace));
  return { namespaces, projects, resources };
}

/** Whether the caller may list the kind in all namespaces in which it may have objects. */
async function mayList(parts: Parts, { plural, namespaces }: (typeof withoutProject)[number]): Promise<boolean> {
  const { caller, home, watchNamespaces } = parts;
  const watched = watchNamespaces === '*' ? [EVERYWHERE] : watchNamespaces;
  const places = namespaces === 'operator' ? [home] : watched;
  const accesses = places.map((namespace) => ({ verb: 'list', resource: plural, namespace }));
  return (await caller.refusal({ permission: 'ADMIN', accesses })) === undefined;
}

/** With `*`, only namespaces with a project are known. */
function namespacesOf({ watchNamespaces, catalog, home }: Parts): readonly string[] {
  if (watchNamespaces !== '*') return watchNamespaces;
  return [...new Set([home, ...catalog.projects().map(({ metadata }) => metadata.namespace)])];
}
