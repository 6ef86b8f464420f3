/** The verdict on an API token: its status, and when to check the token and its Secret again. */

import type { Ref } from '../../model/object.ts';
import { type ApiToken, type ApiTokenStatus, TOKEN_LABEL } from '../../schema/api-token.ts';
import { defectFindings, type Finding, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { type SecretState, secretRefOf, tokenLabelOf } from './token-secret.ts';
import { isUserOf, recordedUserId, type UserLookup } from './token-user.ts';
import { expiryOf, isExpired } from './token-validity.ts';

export interface ApiTokenInContext {
  readonly token: ApiToken;
  /** The older token that owns the wire name, if there is one. */
  readonly conflictingOwner: Ref | undefined;
  readonly holding: SecretState;
  /** The older token with the same value, if there is one. */
  readonly valueConflictWith: Ref | undefined;
  /** The lookup of the username that the token names. */
  readonly userLookup: UserLookup;
  readonly exists: {
    readonly project: (id: string) => boolean;
    readonly environment: (name: string) => boolean;
  };
}

const SECOND_MS = 1000;

/** The longest time after which a Secret whose value may change is read again. */
export const SECRET_AGAIN_MS = 60 * SECOND_MS;

/** Changes of Secrets send no events: the operator may get a Secret by name, and neither list nor watch them. */
const lookAgainMs: Readonly<Record<SecretState['state'], number>> = {
  value: SECRET_AGAIN_MS,
  missing: 10 * SECOND_MS,
  unusable: 10 * SECOND_MS,
  foreign: 10 * SECOND_MS,
  kept: 600 * SECOND_MS,
  none: Number.POSITIVE_INFINITY,
  unasked: Number.POSITIVE_INFINITY,
};
/** A generated value does not change; its Secret is checked to warn if it is gone. */
const GENERATED_AGAIN_MS = 600 * SECOND_MS;

type Check = (context: ApiTokenInContext, now: number) => readonly Finding[];

const checks: readonly Check[] = [
  ({ token }) => defectFindings(token.defects),
  ({ token, conflictingOwner }) => nameConflict('token', token, conflictingOwner),
  isNotExpired,
  userExists,
  projectsExist,
  environmentExists,
  secretHoldsValue,
  valueIsItsOwn,
];

/** `now` in ms since 1970. */
export function judgeApiToken(context: ApiTokenInContext, now: number): Verdict<ApiTokenStatus> {
  const { token, holding } = context;
  const findings = checks.flatMap((check) => check(context, now));
  const userId = recordedUserId(token, context.userLookup);
  // The digest of a personal token and its user id are recorded together. A digest alone is older than recorded ids.
  const isEarly = token.spec.user !== undefined && userId === undefined && token.status?.sha256 === undefined;
  const sha256 = 'sha256' in holding && !isEarly ? holding.sha256 : undefined;
  const seenAt = token.status?.seenAt;
  const recheckInMs = Math.min(secretAgainMs(context), expiresInMs(token, now));
  return {
    status: {
      ...judged({ object: token, findings, now }),
      ...(sha256 !== undefined && { sha256, secretName: secretRefOf(token).name }),
      ...(userId !== undefined && { userId }),
      ...(seenAt !== undefined && { seenAt }),
    },
    ...(Number.isFinite(recheckInMs) && { recheckInMs }),
  };
}

function secretAgainMs({ token, holding }: ApiTokenInContext): number {
  const isGenerated = token.spec.secretRef === undefined;
  return isGenerated && holding.state === 'value' ? GENERATED_AGAIN_MS : lookAgainMs[holding.state];
}

function expiresInMs(token: ApiToken, now: number): number {
  return isExpired(token, now) ? Number.POSITIVE_INFINITY : (expiryOf(token.spec) ?? Number.POSITIVE_INFINITY) - now;
}

function isNotExpired({ token }: ApiTokenInContext, now: number): readonly Finding[] {
  if (!isExpired(token, now)) return [];
  const message = 'the token has expired: set a later time, or delete it';
  return [{ severity: 'Error', path: ['expiresAt'], reason: 'Expired', message }];
}

function userExists({ token, userLookup: { user } }: ApiTokenInContext): readonly Finding[] {
  const { user: username } = token.spec;
  if (username === undefined || (user && isUserOf(token, user))) return [];
  const place = { severity: 'Error', path: ['user'] } as const;
  if (!user)
    return [{ ...place, reason: 'UserNotFound', message: `there is no user "${username}": create a FlagUser` }];
  const message = `the token is for the user "${username}" with the id ${token.status?.userId}, and the user of this name has the id ${user.status?.id}: delete the token and create another`;
  return [{ ...place, reason: 'UserReplaced', message }];
}

function projectsExist({ token, exists }: ApiTokenInContext): readonly Finding[] {
  return (token.spec.projects ?? [])
    .filter((id) => !exists.project(id))
    .map((id) => {
      const message = `there is no project "${id}": create it`;
      return { severity: 'Error', path: ['projects'], reason: 'ProjectNotFound', message };
    });
}

function environmentExists({ token, exists }: ApiTokenInContext): readonly Finding[] {
  const { environment } = token.spec;
  if (environment === undefined || exists.environment(environment)) return [];
  const message = `there is no environment "${environment}": create it`;
  return [{ severity: 'Error', path: ['environment'], reason: 'EnvironmentNotFound', message }];
}

/** A Secret without the label of this token is reported as missing, so that the status reveals no other Secrets. */
function secretHoldsValue({ token, holding }: ApiTokenInContext): readonly Finding[] {
  const { name } = secretRefOf(token);
  const path = ['secretRef'];
  const error = { severity: 'Error', path } as const;
  switch (holding.state) {
    case 'missing': {
      const label = `${TOKEN_LABEL}: ${tokenLabelOf(token)}`;
      const message = `there is no Secret "${name}" with the label ${label}: create it, or label it`;
      return [{ ...error, reason: 'SecretNotFound', message }];
    }
    case 'unusable': {
      const message = `the Secret "${name}" must hold 16 to 512 visible ASCII characters under the key token, without spaces and line breaks`;
      return [{ ...error, reason: 'SecretUnusable', message }];
    }
    case 'foreign': {
      const message = `the Secret "${name}" does not belong to this token, and is not changed: delete it, or create a token with another name`;
      return [{ ...error, reason: 'SecretNotOurs', message }];
    }
    case 'kept': {
      const message = `the Secret "${name}" with the generated value is gone; the token stays valid: delete it to revoke it`;
      return [{ severity: 'Warning', path, reason: 'SecretMissing', message }];
    }
    default:
      return [];
  }
}

function valueIsItsOwn({ valueConflictWith }: ApiTokenInContext): readonly Finding[] {
  if (!valueConflictWith) return [];
  const message = `the older token ${valueConflictWith.namespace}/${valueConflictWith.name} has the same value: give one of the two another, or delete it`;
  return [{ severity: 'Error', path: ['secretRef'], reason: 'TokenConflict', message }];
}
