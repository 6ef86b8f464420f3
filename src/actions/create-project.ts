/** Creates a project under an id that no other project of the instance has. */
import { wireNameOf } from '../domain/identity/names.ts';
import type { Refusal } from '../errors.ts';
import type { Project, ProjectSpec, ProjectStatus } from '../schema/project.ts';
import { type Created, createUnderFreeName } from './create-under-free-name.ts';
import { refusalOfReservedName, refusalOfTakenName } from './name-refusals.ts';
import { resolveNameRace } from './resolve-name-race.ts';
import type { Services } from './services.ts';

export interface NewProject {
  readonly wireName: string;
  /** The spec without the name. */
  readonly spec: ProjectSpec;
  readonly dryRun: boolean;
}

/** The API creates projects in the operator namespace, so an id that belongs to another namespace is not free. */
export function checkNewProject({ catalog, home }: Pick<Services, 'catalog' | 'home'>, id: string): void {
  if (catalog.project(id)) throw projectExists(id);
  const claim = catalog.projectClaim(id);
  if (claim && claim.namespace !== home) throw refusalOfReservedName('project id', id);
}

/**
 * Creates the project in the operator namespace. A caller who is a FlagUser becomes its owner; others cannot be
 * members.
 */
export async function createProject(services: Services, { wireName, spec, dryRun }: NewProject): Promise<Project> {
  const owner = userOf(services);
  const owned = { ...spec, ...(owner !== undefined && { members: { [owner]: 'owner' } }) };
  const { object, isNew } = await createProjectOrFind(services, { wireName, spec: owned, dryRun });
  if (!isNew) throw projectExists(wireName);
  return object;
}

/** The new project, or the one that another caller has created in the operator namespace at the same time. */
export async function createProjectOrFind(
  services: Services,
  { wireName, spec, dryRun }: NewProject,
): Promise<Created<ProjectSpec, ProjectStatus>> {
  checkNewProject(services, wireName);
  const isClaimed = services.catalog.projectClaim(wireName) !== undefined;
  const created = await createUnderFreeName(services.projects, { namespace: services.home, wireName, spec, dryRun });
  if (!created.isNew || !services.severalNamespaces || isClaimed || dryRun) return created;
  const cached = services.catalog.project(wireName);
  const claim = () => services.catalog.projectClaim(wireName);
  const yielded = await resolveNameRace(services.projects, { created: created.object, cached, claim });
  if (yielded) throw yielded.to ? projectExists(wireName) : refusalOfReservedName('project id', wireName);
  return created;
}

/** The username of the caller; undefined: the caller is an admin token, or a Kubernetes user without a FlagUser. */
function userOf({ catalog, caller: { author } }: Services): string | undefined {
  const { name, via } = author;
  const byToken = via === 'personal-token' ? catalog.userNamed(name) : undefined;
  const user = via === 'kubernetes-token' || via === 'oidc' ? catalog.userBySubject(name) : byToken;
  return user && wireNameOf(user);
}

function projectExists(id: string): Refusal {
  return refusalOfTakenName({ subject: 'A project', name: id, noun: 'id' });
}
