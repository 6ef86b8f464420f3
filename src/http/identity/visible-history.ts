/** What of the history a caller may see. */
import type { EntryFilter, Visible } from '../../audit/entry.ts';
import { wireNameOf } from '../../domain/names.ts';
import { apiToken } from '../../schema/api-token.ts';
import { environment } from '../../schema/environment.ts';
import { flagRole } from '../../schema/flag-role.ts';
import { flagUser } from '../../schema/flag-user.ts';
import { project } from '../../schema/project.ts';
import { strategyDefinition } from '../../schema/strategy-definition.ts';
import type { Services } from '../route.ts';
import { EVERYWHERE, toHome, toSearchUsers } from './asks.ts';
import { readableProjects } from './readable-projects.ts';

/** What happens to them happens in no project. */
const ofNoProject = [environment, flagUser, flagRole, strategyDefinition, apiToken].map(({ plural }) => plural);

type Parts = Pick<Services, 'caller' | 'catalog' | 'home' | 'watchNamespaces'>;

/** The part of a filter that is not the caller's choice. */
export async function visibleTo(parts: Parts): Promise<Pick<EntryFilter, 'visible' | 'masked'>> {
  const [visible, refusal] = await Promise.all([
    visibleHistory(parts),
    parts.caller.refusal(toSearchUsers.of(parts, undefined)),
  ]);
  return { visible, masked: refusal !== undefined };
}

/** Undefined: all of it. Whoever may read whichever project there is in a namespace sees what happened to those that are gone, too. */
async function visibleHistory(parts: Parts): Promise<Visible | undefined> {
  const [[everywhere], resources] = await Promise.all([
    allowed([EVERYWHERE], (namespace) => mayReadProjects(parts, namespace)),
    allowed(ofNoProject, (resource) => mayList(parts, resource)),
  ]);
  if (everywhere !== undefined && resources.length === ofNoProject.length) return undefined;
  const [namespaces, readable] = await Promise.all([
    allowed(namespacesOf(parts), (namespace) => mayReadProjects(parts, namespace)),
    readableProjects(parts),
  ]);
  const projects = readable
    .map((view) => ({ namespace: view.project.metadata.namespace, id: wireNameOf(view.project) }))
    .filter(({ namespace }) => !namespaces.includes(namespace));
  return { namespaces, projects, resources };
}

async function mayReadProjects({ caller }: Parts, namespace: string): Promise<boolean> {
  const access = { verb: 'get', resource: project.plural, namespace };
  return (await caller.refusal({ permission: 'NONE', accesses: [access] })) === undefined;
}

async function mayList({ caller, ...known }: Parts, resource: string): Promise<boolean> {
  const row = toHome<undefined>({ verb: 'list', resource, permission: 'ADMIN' });
  return (await caller.refusal(row.of(known, undefined))) === undefined;
}

/** Where everything is watched, only those with a project are known. */
function namespacesOf({ watchNamespaces, catalog, home }: Parts): readonly string[] {
  if (watchNamespaces !== '*') return watchNamespaces;
  return [...new Set([home, ...catalog.projects().map(({ metadata }) => metadata.namespace)])];
}

async function allowed(all: readonly string[], may: (one: string) => Promise<boolean>): Promise<readonly string[]> {
  const verdicts = await Promise.all(all.map(may));
  return all.filter((_, index) => verdicts[index]);
}
