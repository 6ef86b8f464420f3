/** The verdict on an API token: its status, and when to look at it and its Secret again. */
import { type ApiToken, type ApiTokenStatus, TOKEN_LABEL } from '../schema/api-token.ts';
import type { Ref } from '../schema/object.ts';
import { defectFindings, type Finding, judged, nameConflict } from './findings.ts';
import { wireNameOf } from './names.ts';
import { expiryOf, isExpired } from './token-force.ts';
import { type Holding, secretRefOf, tokenLabelOf } from './token-secret.ts';
import { isUserOf, notedUserId, type UserThere } from './token-user.ts';
import type { Verdict } from './verdict.ts';

export interface ApiTokenInContext {
  readonly token: ApiToken;
  /** The older token that holds the wire name, if there is one. */
  readonly rival: Ref | undefined;
  readonly holding: Holding;
  /** The older token with the same value, if there is one. */
  readonly valueRival: Ref | undefined;
  /** Under the username that the token names. */
  readonly userThere: UserThere;
  readonly exists: {
    readonly project: (id: string) => boolean;
    readonly environment: (name: string) => boolean;
  };
}

const SECOND_MS = 1000;

/** Nobody tells when a Secret changes: the operator may read one by its name, and neither list nor watch them. */
const lookAgainMs: Readonly<Record<Holding['state'], number>> = {
  value: 60 * SECOND_MS,
  missing: 10 * SECOND_MS,
  unusable: 10 * SECOND_MS,
  foreign: 10 * SECOND_MS,
  kept: 600 * SECOND_MS,
  none: Number.POSITIVE_INFINITY,
  unasked: Number.POSITIVE_INFINITY,
};
/** A generated value does not change; that it is gone is worth a warning. */
const GENERATED_AGAIN_MS = 600 * SECOND_MS;

type Check = (context: ApiTokenInContext, now: number) => readonly Finding[];

const checks: readonly Check[] = [
  ({ token }) => defectFindings(token.defects),
  ({ token, rival }) => (rival ? [nameConflict('token', wireNameOf(token), rival)] : []),
  isNotOver,
  userIsThere,
  projectsExist,
  environmentExists,
  secretHoldsValue,
  valueIsItsOwn,
];

/** `now` in ms since 1970. */
export function judgeApiToken(context: ApiTokenInContext, now: number): Verdict<ApiTokenStatus> {
  const { token, holding } = context;
  const findings = checks.flatMap((check) => check(context, now));
  const userId = notedUserId(token, context.userThere);
  // The value of a personal token and its user are noted together: one without the other is from before ids were noted.
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

function isNotOver({ token }: ApiTokenInContext, now: number): readonly Finding[] {
  if (!isExpired(token, now)) return [];
  const message = 'the token has expired: set a later time, or delete it';
  return [{ severity: 'Error', path: ['expiresAt'], reason: 'Expired', message }];
}

function userIsThere({ token, userThere: { user } }: ApiTokenInContext): readonly Finding[] {
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

/** Whoever may not read Secrets learns nothing here: one that is not for this token is as one that is not there. */
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
      const message = `the Secret "${name}" is not that of this token, and is left alone: delete it, or create a token under another name`;
      return [{ ...error, reason: 'SecretNotOurs', message }];
    }
    case 'kept': {
      const message = `the Secret "${name}" with the generated value is gone; the token stays in force: delete it to revoke it`;
      return [{ severity: 'Warning', path, reason: 'SecretMissing', message }];
    }
    default:
      return [];
  }
}

function valueIsItsOwn({ valueRival }: ApiTokenInContext): readonly Finding[] {
  if (!valueRival) return [];
  const message = `the older token ${valueRival.namespace}/${valueRival.name} has the same value: give one of the two another, or delete it`;
  return [{ severity: 'Error', path: ['secretRef'], reason: 'TokenConflict', message }];
}
