/** Finds the object that a path names, or refuses with `not-found`. */

import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { Role } from '../domain/people/roles.ts';
import { isBuiltIn, type StrategyType } from '../domain/strategy-type/strategy-types.ts';
import { Refusal } from '../errors.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Segment } from '../schema/segment.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import type { Catalog } from './catalog.ts';
import type { ProjectView } from './project-views.ts';

export interface FlagPath {
  readonly projectId: string;
  readonly featureName: string;
}

export function findProject(catalog: Catalog, projectId: string): ProjectView {
  const view = catalog.view(projectId);
  if (!view) throw new Refusal('not-found', `There is no project with the id "${projectId}".`);
  return view;
}

export function findEnvironment(catalog: Catalog, name: string): Environment {
  const environment = catalog.environment(name);
  if (!environment) throw new Refusal('not-found', environmentNotFound(name));
  return environment;
}

/** The message of Unleash, for a name in the path, the query or the body. */
export function environmentNotFound(name: string): string {
  return `Could not find environment with name: ${name}`;
}

export function findUser(catalog: Catalog, id: number): FlagUser {
  const user = catalog.user(id);
  if (!user) throw new Refusal('not-found', `There is no user with the id ${id}.`);
  return user;
}

export function findRole(catalog: Catalog, id: number): Role {
  const role = catalog.role(id);
  if (!role) throw new Refusal('not-found', `There is no role with the id ${id}.`);
  return role;
}

export function findSegment(catalog: Catalog, id: number): Segment {
  const segment = catalog.segment(id);
  if (!segment) throw noSuchSegment(id);
  return segment;
}

/** Has the wording of Unleash. */
export function noSuchSegment(id: number): Refusal {
  return new Refusal('not-found', `No segment exists with ID "${id}"`);
}

export function findStrategyType(catalog: Catalog, name: string): StrategyType {
  const type = catalog.strategyTypes().get(name);
  if (!type) throw noSuchStrategyType(name);
  return type;
}

/** For writes: a built-in type has no definition. */
export function findStrategyDefinition(catalog: Catalog, name: string): StrategyDefinition {
  if (isBuiltIn(name)) {
    throw new Refusal(
      'operation-denied',
      `The strategy type "${name}" is built in: it can be neither changed nor deleted.`,
    );
  }
  const definition = catalog.strategyDefinition(name);
  if (!definition) throw noSuchStrategyType(name);
  return definition;
}

/** Finds the flag, archived or not. A flag of another project is not found. */
export function findAnyFlag(catalog: Catalog, path: FlagPath): FeatureFlag {
  const flag = catalog.flag(path.featureName);
  if (!flag || !isInProject(catalog, flag, path.projectId)) throw noSuchFlag(path);
  return flag;
}

export function findFlag(catalog: Catalog, path: FlagPath): FeatureFlag {
  return unlessArchived(findAnyFlag(catalog, path));
}

/** Finds a flag by its name alone, in any project. */
export function findFlagByName(catalog: Catalog, name: string): FeatureFlag {
  const flag = catalog.flag(name);
  if (!flag) throw new Refusal('not-found', `There is no flag named "${name}".`);
  return unlessArchived(flag);
}

/** Finds flags of a project, archived or not, each once. Throws one error with the names of all that do not exist. */
export function findFlags(catalog: Catalog, projectId: string, names: readonly string[]): readonly FeatureFlag[] {
  findProject(catalog, projectId);
  const wanted = [...new Set(names)];
  const isThere = (flag: FeatureFlag | undefined) => flag !== undefined && isInProject(catalog, flag, projectId);
  const unknown = wanted.filter((name) => !isThere(catalog.flag(name)));
  if (unknown.length > 1) {
    const list = unknown.map((name) => `"${name}"`).join(', ');
    throw new Refusal('not-found', `There are no flags named ${list} in project "${projectId}".`);
  }
  return wanted.map((featureName) => findAnyFlag(catalog, { projectId, featureName }));
}

/** For edits, which may meet a newer version of the flag than the one that was found. */
export function unlessArchived(flag: FeatureFlag): FeatureFlag {
  if (isArchived(flag)) {
    throw noSuchFlag({ projectId: projectIdOf(flag), featureName: wireNameOf(flag) }, 'It is archived.');
  }
  return flag;
}

export function findArchived(catalog: Catalog, name: string): FeatureFlag {
  const flag = catalog.flag(name);
  if (!flag) throw new Refusal('not-found', `There is no archived flag named "${name}".`);
  return onlyArchived(flag);
}

/** For edits and deletions, which may meet a newer version of the flag than the one that was found. */
export function onlyArchived(flag: FeatureFlag): FeatureFlag {
  if (!isArchived(flag)) {
    throw new Refusal('not-found', `The flag "${wireNameOf(flag)}" is not archived: archive it first.`);
  }
  return flag;
}

/** Whether the flag names the project, and the project with that id is in the flag's namespace. */
export function isInProject(catalog: Catalog, flag: FeatureFlag, projectId: string): boolean {
  return projectIdOf(flag) === projectId && catalog.flagContextOf(flag).project !== undefined;
}

function noSuchStrategyType(name: string): Refusal {
  return new Refusal('not-found', `Could not find strategy type with name ${name}.`);
}

function noSuchFlag({ projectId, featureName }: FlagPath, more = ''): Refusal {
  const message = `There is no flag named "${featureName}" in project "${projectId}". ${more}`;
  return new Refusal('not-found', message.trimEnd());
}
