/** Objects as the history shows them: their wire shape, without counts and values of other objects. */

import type { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { projectOfTarget } from '../../domain/approval/target.ts';
import { cloneRequestOf } from '../../domain/environment/clone-environment.ts';
import type { StrategyPlace } from '../../domain/flag/strategy-id.ts';
import { weigh } from '../../domain/flag/variants.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { subjectsOf } from '../../domain/people/subjects.ts';
import { strategyTypeOf } from '../../domain/strategy-type/strategy-types.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { ApiToken } from '../../schema/api-token.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { Dependency } from '../../schema/dependency.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagRole } from '../../schema/flag-role.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import type { Project } from '../../schema/project.ts';
import type { Segment } from '../../schema/segment.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { StrategyDefinition } from '../../schema/strategy-definition.ts';
import type { Variant } from '../../schema/variant.ts';
import { presentDependency } from '../../wire/admin/flag/dependency.ts';
import { presentFeature } from '../../wire/admin/flag/feature.ts';
import { presentStrategy } from '../../wire/admin/flag/strategy.ts';
import { presentTag, type wireTag } from '../../wire/admin/flag/tag.ts';
import { presentVariant } from '../../wire/admin/flag/variant.ts';
import { presentApiToken } from '../../wire/admin/people/api-token.ts';
import { presentUser } from '../../wire/admin/people/user.ts';
import { presentPlainEnvironment } from '../../wire/admin/project/environment.ts';
import { presentPlainProject } from '../../wire/admin/project/project.ts';
import { presentPlainSegment } from '../../wire/admin/segment.ts';
import { presentStrategyType } from '../../wire/admin/strategy-type.ts';

type PeopleByName = Pick<Catalog, 'userNamed' | 'roleNamed' | 'rootRoleOf'>;

export interface Shapes {
  feature(flag: FeatureFlag): JsonObject;
  strategy(place: StrategyPlace, strategy: Strategy): JsonObject;
  variants(variants: readonly Variant[]): readonly Json[];
  tag(tag: string): z.infer<typeof wireTag>;
  dependency(dependency: Dependency): JsonObject;
  project(project: Project): JsonObject;
  member(username: string, roleName: string): JsonObject;
  environment(environment: Environment): JsonObject;
  user(user: FlagUser): JsonObject;
  role(role: FlagRole): JsonObject;
  token(token: ApiToken): JsonObject;
  segment(segment: Segment): JsonObject;
  strategyType(definition: StrategyDefinition): JsonObject;
  changeRequest(request: ChangeRequest): JsonObject;
  changeApproval(approval: ChangeApproval): JsonObject;
  sink(sink: NotificationSink): JsonObject;
  /** The request that a decision is about, if it is still there. */
  requestOf(approval: ChangeApproval): ChangeRequest | undefined;
  /** The names of what a request would change, if it is still there. */
  targetOf(request: ChangeRequest): TargetNames | undefined;
}

interface TargetNames {
  readonly project: string | null;
  /** Null: it is no flag. */
  readonly featureName: string | null;
  /** Absent: it is no environment. */
  readonly environment?: string;
}

/** `people`: the users, roles and segments that exist when an entry is derived. */
export function historyShapes(
  people: PeopleByName & Pick<Catalog, 'segmentNamed' | 'changeRequest' | 'targetOf'>,
): Shapes {
  const segmentIds = (name: string) => people.segmentNamed(name)?.status?.id;
  return {
    feature: (flag: FeatureFlag): JsonObject => plain(presentFeature(flag)),
    strategy: (place: StrategyPlace, strategy: Strategy): JsonObject =>
      plain(presentStrategy(place, { key: place.key, strategy }, segmentIds)),
    variants: (variants: readonly Variant[]): readonly Json[] =>
      weigh(variants).map((variant) => plain(presentVariant(variant))),
    tag: presentTag,
    dependency: (dependency: Dependency): JsonObject => plain(presentDependency(dependency)),
    project: (project: Project): JsonObject => plain(projectOf(project)),
    member: (username: string, roleName: string): JsonObject => plain(memberOf(people, username, roleName)),
    environment: (environment: Environment): JsonObject => plain(environmentOf(environment)),
    user: (user: FlagUser): JsonObject => plain(userOf(people, user)),
    role: (role: FlagRole): JsonObject => plain(roleOf(role)),
    token: (token: ApiToken): JsonObject => plain(tokenOf(token)),
    segment: (segment: Segment): JsonObject => plain(segmentOf(segment)),
    strategyType: (definition: StrategyDefinition): JsonObject =>
      plain(presentStrategyType(strategyTypeOf(definition))),
    changeRequest: ({ metadata: { name }, spec }: ChangeRequest): JsonObject => plain({ name, ...spec }),
    changeApproval: ({ spec: { groups: _, ...shown } }: ChangeApproval): JsonObject => plain(shown),
    sink: ({ metadata: { name, namespace }, spec: { secretRef: _, ...shown } }: NotificationSink): JsonObject =>
      plain({ name, namespace, ...shown }),
    requestOf: ({ metadata: { namespace }, spec }: ChangeApproval): ChangeRequest | undefined =>
      spec.request && people.changeRequest({ namespace, name: spec.request.name }),
    targetOf(request: ChangeRequest): TargetNames | undefined {
      const target = people.targetOf(request);
      if (!target) return undefined;
      const featureName = target.kind === 'FeatureFlag' ? wireNameOf(target.object) : null;
      const isEnvironment = target.kind === 'Environment';
      return {
        ...{ project: projectOfTarget(target) ?? null, featureName },
        ...(isEnvironment && { environment: wireNameOf(target.object) }),
      };
    },
  };
}

/** The JSON form of the shape, in which undefined members are left out. */
function plain(shape: object): JsonObject {
  return JSON.parse(JSON.stringify(shape));
}

function projectOf(project: Project): object {
  const environments = project.spec.environments ?? null;
  return { id: wireNameOf(project), ...presentPlainProject(project), environments };
}

function memberOf({ userNamed, roleNamed }: PeopleByName, username: string, roleName: string): object {
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
  const { freezes } = environment.spec;
  const plain = { ...presentPlainEnvironment(environment), ...(freezes && freezes.length > 0 && { freezes }) };
  if (!request) return plain;
  const { from, projects, permissions } = request;
  return { ...plain, clone: { from, projects, permissions } };
}

/** A new user has no id yet. */
function userOf({ rootRoleOf }: PeopleByName, user: FlagUser): object {
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

/** A new role has no id yet. */
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

/** A new segment has no id yet. */
function segmentOf(segment: Segment): object {
  return { ...presentPlainSegment(segment), id: segment.status?.id ?? null };
}

/** The last use is left out: it is not a change of the token. */
function tokenOf(token: ApiToken): object {
  const { secret: _, seenAt: __, ...rest } = presentApiToken(token, '');
  return { ...rest, description: token.spec.description ?? '', user: token.spec.user ?? null };
}
