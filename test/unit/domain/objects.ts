/** Objects as in the caches, for the rules that judge them. */
import { parseObject } from '../../../src/kube/object/parse-object.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { CustomObject } from '../../../src/model/object.ts';
import { type ApiToken, apiToken } from '../../../src/schema/api-token.ts';
import { type ChangeApproval, changeApproval } from '../../../src/schema/change-approval.ts';
import { type ChangeRequest, changeRequest } from '../../../src/schema/change-request.ts';
import { type Environment, environment } from '../../../src/schema/environment.ts';
import { type FeatureFlag, featureFlag } from '../../../src/schema/feature-flag.ts';
import { type FlagRole, flagRole } from '../../../src/schema/flag-role.ts';
import { type FlagUser, flagUser } from '../../../src/schema/flag-user.ts';
import { type Project, project } from '../../../src/schema/project.ts';
import { type Segment, segment } from '../../../src/schema/segment.ts';
import { type StrategyDefinition, strategyDefinition } from '../../../src/schema/strategy-definition.ts';
import {
  aChangeApproval,
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aRole,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../../support/builders.ts';

/** The fields that the API server adds to a manifest. */
export interface Facts {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: unknown;
}

export const CREATED = '2026-01-01T00:00:00Z';

/** The manifest as the API server sends it back. */
export function stored(manifest: Manifest, { status, ...facts }: Facts = {}) {
  const uid = `${manifest.metadata.namespace}/${manifest.metadata.name}`;
  const added = { uid, resourceVersion: '1', generation: 1, creationTimestamp: CREATED, ...facts };
  return { ...manifest, metadata: { ...manifest.metadata, ...added }, status };
}

function parsed<S, T>(kind: Kind<S, T>, manifest: Manifest, facts: Facts | undefined): CustomObject<S, T> {
  return parseObject(kind, stored(manifest, facts));
}

/** A flag of the project `shop`. Its spec need not fit the schema. */
export function flagObject(place: string, spec: object = {}, facts?: Facts): FeatureFlag {
  return parsed(featureFlag, aFlag(place, spec), facts);
}

export function projectObject(place: string, spec: object = {}, facts?: Facts): Project {
  return parsed(project, aProject(place, spec), facts);
}

export function environmentObject(place: string, spec: object = {}, facts?: Facts): Environment {
  return parsed(environment, anEnvironment(place, spec), facts);
}

export function userObject(place: string, spec: object = {}, facts?: Facts): FlagUser {
  return parsed(flagUser, aUser(place, spec), facts);
}

export function roleObject(place: string, spec: object = {}, facts?: Facts): FlagRole {
  return parsed(flagRole, aRole(place, spec), facts);
}

export function tokenObject(place: string, spec: object = {}, facts?: Facts): ApiToken {
  return parsed(apiToken, aToken(place, spec), facts);
}

export function strategyObject(place: string, spec: object = {}, facts?: Facts): StrategyDefinition {
  return parsed(strategyDefinition, aStrategyType(place, spec), facts);
}

export function segmentObject(place: string, spec: object = {}, facts?: Facts): Segment {
  return parsed(segment, aSegment(place, spec), facts);
}

/** A request of ada to switch the flag `checkout` on in production. */
export function requestObject(place: string, spec: object = {}, facts?: Facts): ChangeRequest {
  return parsed(changeRequest, aChangeRequest(place, 'checkout', spec), facts);
}

/** A decision on the request, which approves it as bob unless the spec says otherwise. */
export function decisionObject(
  place: string,
  { metadata: { name, uid } }: ChangeRequest,
  spec: object = {},
  facts?: Facts,
): ChangeApproval {
  return parsed(changeApproval, aChangeApproval(place, { name, uid }, spec), facts);
}
