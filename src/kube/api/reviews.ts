/** Authenticates tokens and authorizes identities through review APIs (TokenReview, SubjectAccessReview). */
import { ClusterError, isClusterError, reworded } from '../../errors.ts';
import { readJson, recordOf } from '../../model/json.ts';
import { GROUP } from '../../model/kind.ts';
import { withoutTexts } from './errors.ts';
import { resourcePath } from './paths.ts';
import type { Transport } from './transport.ts';

/** A user that the API server has authenticated. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The resource attributes of an access review. */
export interface Access {
  readonly verb: string;
  /** Absent: the group of Vexil. */
  readonly group?: string;
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  /** Absent: all objects of the resource. */
  readonly name?: string | undefined;
}

export interface Reviews {
  /** Whether the operator itself may create these reviews. */
  mayAsk(): Promise<boolean>;
  /** Undefined: the token is not valid. */
  identify(token: string): Promise<Identity | undefined>;
  allows(identity: Identity, access: Access): Promise<boolean>;
}

/** The name of the Kubernetes user that this transport is, which every user may ask. */
export async function whoAmI(transport: Transport, signal: AbortSignal): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = resourcePath({ plural: 'selfsubjectreviews', root: 'apis/authentication.k8s.io/v1' });
  const answer = await transport.request({ method: 'POST', path, body, signal });
  const identity = identityOf(statusOf(answer)['userInfo']);
  if (identity === undefined) throw new ClusterError('unavailable', 'The API server did not say who the operator is');
  return identity.username;
}

/** The audience of tokens that are issued for Vexil only. */
const AUDIENCE = 'vexil';

const KINDS = {
  tokenreviews: 'TokenReview',
  subjectaccessreviews: 'SubjectAccessReview',
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
} as const;

/** `timeoutMs` limits a whole exchange, because a caller waits for it. */
export function createReviews(transport: Transport, timeoutMs: number): Reviews {
  const ask = async (
    group: string,
    resource: keyof typeof KINDS,
    spec: unknown,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const body = { apiVersion: `${group}/v1`, kind: KINDS[resource], spec };
    const answer = await transport
      .request({ method: 'POST', path: resourcePath({ plural: resource, root: `apis/${group}/v1` }), body, timeoutMs })
      .catch(failUnknown);
    return statusOf(answer);
  };
  return {
    async mayAsk() {
      const questions = [
        { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' },
        { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create' },
      ];
      const answers = questions.map((resourceAttributes) => {
        return ask('authorization.k8s.io', 'selfsubjectaccessreviews', { resourceAttributes });
      });
      return (await Promise.all(answers)).every(({ allowed }) => allowed === true);
    },
    async identify(token) {
      // Without audiences the API server uses its own.
      const isVexilAudience = audiencesOf(token).includes(AUDIENCE);
      const spec = { token, ...(isVexilAudience && { audiences: [AUDIENCE] }) };
      const status = await ask('authentication.k8s.io', 'tokenreviews', spec);
      // An authenticator without audience support returns none: then the token was issued for the API server.
      const matchesAudience = !isVexilAudience || listOf(status['audiences']).includes(AUDIENCE);
      return status['authenticated'] === true && matchesAudience ? identityOf(status['user']) : undefined;
    },
    async allows({ username, uid, groups, extra }, access) {
      const status = await ask('authorization.k8s.io', 'subjectaccessreviews', {
        user: username,
        groups,
        extra,
        ...(uid !== undefined && { uid }),
        resourceAttributes: { group: GROUP, ...access },
      });
      return status['allowed'] === true;
    },
  };
}

function statusOf(review: unknown): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(review)['status']);
}

/**
 * A failed review says nothing about the user, so the error is `unavailable`; `forbidden` means that the operator lacks
 * the permission. The message of the API server is dropped, because a webhook may quote the token in it.
 */
function failUnknown(error: unknown): never {
  if (!isClusterError(error)) throw error;
  if (error.code === 'missing-permission') {
    throw reworded(error, `${error.message} Bind the ClusterRole system:auth-delegator to that user.`, []);
  }
  const { code, answer, retryAfterSeconds } = error;
  const message = `The API server could not review a caller (${code})`;
  throw new ClusterError('unavailable', message, {
    answer: withoutTexts(answer),
    retryAfterSeconds,
  });
}

/** Reads the audiences of a JSON Web Token without verifying it: they only decide which review to create. */
function audiencesOf(token: string): readonly unknown[] {
  const [, payload, , ...more] = token.split('.');
  if (payload === undefined || more.length > 0) return [];
  const { aud: audience } = recordOf(readJson(Buffer.from(payload, 'base64url').toString('utf8')));
  return Array.isArray(audience) ? audience : [audience];
}

function identityOf(user: unknown): Identity | undefined {
  const { username, uid, groups, extra } = recordOf(user);
  if (typeof username !== 'string' || username === '') return undefined;
  return {
    username,
    ...(typeof uid === 'string' && { uid }),
    groups: listOf(groups),
    extra: Object.fromEntries(Object.entries(recordOf(extra)).map(([key, value]) => [key, listOf(value)])),
  };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
