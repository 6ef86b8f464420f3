/** Creates a project under an id that no other project of the instance has. */
import { wireNameOf } from '../domain/names.ts';
import { AppError } from '../errors.ts';
import type { Project, ProjectSpec, ProjectStatus } from '../schema/project.ts';
import { type Born, createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';
import { yieldToOthers } from './yield-to-others.ts';

export interface NewProject {
  readonly wireName: string;
  /** Without its name. */
  readonly spec: ProjectSpec;
  readonly dryRun: boolean;
}

/** Projects are created at home: an id that belongs to another namespace is not free. */
export function checkNewProject({ catalog, home }: Pick<Services, 'catalog' | 'home'>, id: string): void {
  if (catalog.project(id)) throw idTaken(id);
  const claim = catalog.projectClaim(id);
  if (claim && claim.namespace !== home) throw idReserved(id);
}

/** At home. Whoever creates it owns it, if they are a user: others cannot be members. */
export async function createProject(services: Services, { wireName, spec, dryRun }: NewProject): Promise<Project> {
  const owner = userOf(services);
  const owned = { ...spec, ...(owner !== undefined && { members: { [owner]: 'owner' } }) };
  const { object, isNew } = await createProjectOrFind(services, { wireName, spec: owned, dryRun });
  if (!isNew) throw idTaken(wireName);
  return object;
}

/** The project, which somebody else may have created at home at the same time. */
export async function createProjectOrFind(
  services: Services,
  { wireName, spec, dryRun }: NewProject,
): Promise<Born<ProjectSpec, ProjectStatus>> {
  checkNewProject(services, wireName);
  const isClaimed = services.catalog.projectClaim(wireName) !== undefined;
  const born = await createUnderFreeName(services.projects, { namespace: services.home, wireName, spec, dryRun });
  if (!born.isNew || !services.severalNamespaces || isClaimed || dryRun) return born;
  const known = services.catalog.project(wireName);
  const claim = () => services.catalog.projectClaim(wireName);
  const yielded = await yieldToOthers(services.projects, { created: born.object, known, claim });
  if (yielded) throw yielded.to ? idTaken(wireName) : idReserved(wireName);
  return born;
}

/** The username of the caller; undefined: they are a token or somebody whom only Kubernetes knows. */
function userOf({ catalog, caller: { author } }: Services): string | undefined {
  const { name, via } = author;
  const byToken = via === 'personal-token' ? catalog.userNamed(name) : undefined;
  const user = via === 'kubernetes-token' ? catalog.userBySubject(name) : byToken;
  return user && wireNameOf(user);
}

function idReserved(id: string): AppError {
  const message = `The project id "${id}" was used in another namespace and is still reserved there. Choose another id.`;
  return new AppError('name-taken', message);
}

function idTaken(id: string): AppError {
  return new AppError('name-taken', `A project with the id "${id}" already exists. Choose another id.`);
}
