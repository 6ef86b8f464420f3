/** Creates a project under an id that no other project of the instance has. */
import { wireNameOf } from '../domain/names.ts';
import { AppError } from '../errors.ts';
import type { Project, ProjectSpec } from '../schema/project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';
import { yieldToOthers } from './yield-to-others.ts';

export interface NewProject {
  readonly wireName: string;
  /** Without its name. */
  readonly spec: ProjectSpec;
  readonly dryRun: boolean;
}

export function checkNewProject({ catalog }: Pick<Services, 'catalog'>, id: string): void {
  if (catalog.project(id)) throw idTaken(id);
}

/** At home. Whoever creates it owns it, if they are a user: others cannot be members. */
export async function createProject(services: Services, { wireName, spec, dryRun }: NewProject): Promise<Project> {
  checkNewProject(services, wireName);
  const owner = userOf(services);
  const owned = { ...spec, ...(owner !== undefined && { members: { [owner]: 'owner' } }) };
  const unborn = { namespace: services.home, wireName, spec: owned, dryRun };
  const { object, isNew } = await createUnderFreeName(services.projects, unborn);
  if (!isNew) throw idTaken(wireName);
  if (services.severalNamespaces && !dryRun) {
    const known = services.catalog.project(wireName);
    if (await yieldToOthers(services.projects, { created: object, known })) throw idTaken(wireName);
  }
  return object;
}

/** The username of the caller; undefined: they are a token or somebody whom only Kubernetes knows. */
function userOf({ catalog, caller: { author } }: Services): string | undefined {
  const { name, via } = author;
  const byToken = via === 'personal-token' ? catalog.userNamed(name) : undefined;
  const user = via === 'kubernetes-token' ? catalog.userBySubject(name) : byToken;
  return user && wireNameOf(user);
}

function idTaken(id: string): AppError {
  return new AppError('name-taken', `A project with the id "${id}" already exists. Choose another id.`);
}
