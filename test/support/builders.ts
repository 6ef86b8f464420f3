/** Plain manifests, one builder for each kind. */
import { RELEASE_ANNOTATION } from '../../src/domain/name-claims/name-claims.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import type { Ref } from '../../src/model/object.ts';
import type { ApiTokenSpec } from '../../src/schema/api-token.ts';
import type { ChangeApprovalSpec } from '../../src/schema/change-approval.ts';
import type { ChangeRequestSpec } from '../../src/schema/change-request.ts';
import type { EnvironmentSpec } from '../../src/schema/environment.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { FlagRoleSpec } from '../../src/schema/flag-role.ts';
import type { FlagUserSpec } from '../../src/schema/flag-user.ts';
import type { NotificationSinkSpec } from '../../src/schema/notification-sink.ts';
import type { ProjectSpec } from '../../src/schema/project.ts';
import type { SegmentSpec } from '../../src/schema/segment.ts';
import type { StrategyDefinitionSpec } from '../../src/schema/strategy-definition.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Ref & {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** `place` is `namespace/name`, where the name is that of the object. */
function manifest(kind: string, place: string, spec: object): Manifest {
  const [namespace = '', name = ''] = place.split('/');
  return { apiVersion: API_VERSION, kind, metadata: { namespace, name }, spec };
}

/** Makes a manifest that does not keep its name for its namespace. */
export function releasingName(one: Manifest): Manifest {
  return { ...one, metadata: { ...one.metadata, annotations: { [RELEASE_ANNOTATION]: 'true' } } };
}

/** Adds labels to a manifest. */
export function labelled(one: Manifest, labels: Readonly<Record<string, string>>): Manifest {
  return { ...one, metadata: { ...one.metadata, labels } };
}

/** A flag of the project `shop`, unless the spec says otherwise. */
export function aFlag(place: string, spec: FlagSpec = {}): Manifest {
  return manifest('FeatureFlag', place, { project: 'shop', ...spec });
}

/** A project that uses every environment, unless the spec says otherwise. */
export function aProject(place: string, spec: ProjectSpec = {}): Manifest {
  return manifest('Project', place, spec);
}

/** An environment that is enabled, unless the spec says otherwise. */
export function anEnvironment(place: string, spec: EnvironmentSpec = {}): Manifest {
  return manifest('Environment', place, spec);
}

/** A user that is a Viewer, unless the spec says otherwise. */
export function aUser(place: string, spec: FlagUserSpec = {}): Manifest {
  return manifest('FlagUser', place, spec);
}

/** A role for members of projects that allows nothing, unless the spec says otherwise. */
export function aRole(place: string, spec: FlagRoleSpec = {}): Manifest {
  return manifest('FlagRole', place, spec);
}

/** A client token for `production`, unless the spec says otherwise. */
export function aToken(place: string, spec: Partial<ApiTokenSpec> = {}): Manifest {
  const { type = 'client' } = spec;
  const scope = type === 'client' || type === 'frontend' ? { environment: 'production' } : {};
  return manifest('ApiToken', place, { type, ...scope, ...spec });
}

/** A strategy type without parameters, unless the spec says otherwise. */
export function aStrategyType(place: string, spec: StrategyDefinitionSpec = {}): Manifest {
  return manifest('StrategyDefinition', place, spec);
}

/** A segment for the flags of every project, which all users are in, unless the spec says otherwise. */
export function aSegment(place: string, spec: SegmentSpec = {}): Manifest {
  return manifest('Segment', place, spec);
}

/** A request of ada to switch the flag on in production, unless the spec says otherwise. */
export function aChangeRequest(place: string, flag: string, spec: Partial<ChangeRequestSpec> = {}): Manifest {
  return manifest('ChangeRequest', place, {
    target: { kind: 'FeatureFlag', name: flag },
    environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } },
    author: { kind: 'User', name: 'ada' },
    ...spec,
  });
}

/** A webhook that signs nothing, at a name that never resolves, unless the spec says otherwise. */
export function aSink(place: string, spec: Partial<NotificationSinkSpec> = {}): Manifest {
  return manifest('NotificationSink', place, { type: 'Webhook', url: 'https://hooks.invalid/', ...spec });
}

/** The approval of bob for production, unless the spec says otherwise. */
export function aChangeApproval(
  place: string,
  request: ChangeApprovalSpec['request'],
  spec: Partial<ChangeApprovalSpec> = {},
): Manifest {
  const approver = { kind: 'User', name: 'bob' };
  return manifest('ChangeApproval', place, { request, environments: ['production'], approver, ...spec });
}
