/** Objects as the history shows them: as they are on the wire, with what is theirs and without what is counted or looked up. */
import type { Shapes } from '../../audit/derive-shapes.ts';
import type { JsonObject } from '../../audit/entry.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { cloneRequestOf } from '../../domain/clone-environment.ts';
import { wireNameOf } from '../../domain/names.ts';
import { strategyTypeOf } from '../../domain/strategy-types.ts';
import { subjectsOf } from '../../domain/subjects.ts';
import { weigh } from '../../domain/variants.ts';
import type { ApiToken } from '../../schema/api-token.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FlagRole } from '../../schema/flag-role.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Project } from '../../schema/project.ts';
import { presentApiToken } from './api-token.ts';
import { presentPlainEnvironment } from './environment.ts';
import { presentFeature } from './feature.ts';
import { presentPlainProject } from './project.ts';
import { presentStrategy } from './strategy.ts';
import { presentStrategyType } from './strategy-type.ts';
import { presentTag } from './tag.ts';
import { presentUser } from './user.ts';
import { presentVariant } from './variant.ts';

type People = Pick<Catalog, 'userNamed' | 'roleNamed' | 'rootRoleOf'>;

/** `people` are those that are there when something is told. */
export function historyShapes(people: People): Shapes {
  return {
    feature: (flag) => plain(presentFeature(flag)),
    strategy: (place, strategy) => plain(presentStrategy(place, { key: place.key, strategy })),
    variants: (variants) => weigh(variants).map((variant) => plain(presentVariant(variant))),
    tag: presentTag,
    project: (project) => plain(projectOf(project)),
    member: (username, roleName) => plain(memberOf(people, username, roleName)),
    environment: (environment) => plain(environmentOf(environment)),
    user: (user) => plain(userOf(people, user)),
    role: (role) => plain(roleOf(role)),
    token: (token) => plain(tokenOf(token)),
    strategyType: (definition) => plain(presentStrategyType(strategyTypeOf(definition))),
  };
}

/** As it goes over the wire: what is undefined is left out. */
function plain(shape: object): JsonObject {
  return JSON.parse(JSON.stringify(shape));
}

function projectOf(project: Project): object {
  const environments = project.spec.environments ?? null;
  return { id: wireNameOf(project), ...presentPlainProject(project), environments };
}

function memberOf({ userNamed, roleNamed }: People, username: string, roleName: string): object {
  const [user, role] = [userNamed(username), roleNamed(roleName)];
  return {
    roleId: role?.type === 'project' ? role.id : null,
    userId: user?.status?.id ?? null,
    roleName: role?.name ?? roleName,
    email: user?.spec.email ?? null,
  };
}

function environmentOf(environment: Environment): object {
  const request = cloneRequestOf(environment);
  if (!request) return presentPlainEnvironment(environment);
  const { from, projects, permissions } = request;
  return { ...presentPlainEnvironment(environment), clone: { from, projects, permissions } };
}

/** A user that is new has no id yet. */
function userOf({ rootRoleOf }: People, user: FlagUser): object {
  const { name, username, email, rootRole, imageUrl, accountType } = presentUser(user, rootRoleOf(user)?.id);
  return {
    id: user.status?.id ?? null,
    name: name ?? null,
    username,
    email: email ?? null,
    rootRole: rootRole ?? null,
    imageUrl,
    accountType,
    subjects: subjectsOf(user),
  };
}

/** A role that is new has no id yet. */
function roleOf(role: FlagRole): object {
  const { spec, status } = role;
  const name = wireNameOf(role);
  return {
    id: status?.id ?? null,
    name,
    displayName: spec.displayName ?? name,
    type: spec.type ?? 'project',
    description: spec.description ?? '',
    permissions: (spec.permissions ?? []).map((one) => ({ name: one.name, environment: one.environment ?? '*' })),
  };
}

/** When it was used is no change of it. */
function tokenOf(token: ApiToken): object {
  const { secret: _, seenAt: __, ...rest } = presentApiToken(token, '');
  return { ...rest, description: token.spec.description ?? '', user: token.spec.user ?? null };
}
