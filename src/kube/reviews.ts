/** Asks the API server who a token belongs to, and whether someone may do something. */
import { AppError, isAppError } from '../errors.ts';
import { GROUP } from '../schema/kind.ts';
import { refusalOf } from './errors.ts';
import { isRecord } from './raw-object.ts';
import type { Transport } from './transport.ts';

/** Whom the API server has authenticated, as reviews pass them on. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What somebody wants to do with objects in the cluster. */
export interface Access {
  readonly verb: string;
  /** Absent: that of our own kinds. */
  readonly group?: string;
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  /** Absent: with any of them. */
  readonly name?: string | undefined;
}

export interface Reviews {
  /** Whether Vexil itself may ask these questions. */
  mayAsk(): Promise<boolean>;
  /** Undefined: the token is nobody's. */
  identify(token: string): Promise<Identity | undefined>;
  allows(identity: Identity, access: Access): Promise<boolean>;
}

/** The audience of tokens that are made for Vexil alone. */
const AUDIENCE = 'vexil';

/** For a whole exchange; a caller waits for it. */
const TIMEOUT_MS = 5_000;

const KINDS = {
  tokenreviews: 'TokenReview',
  subjectaccessreviews: 'SubjectAccessReview',
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
} as const;

export function createReviews(transport: Transport): Reviews {
  const ask = async (
    group: string,
    resource: keyof typeof KINDS,
    spec: unknown,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const body = { apiVersion: `${group}/v1`, kind: KINDS[resource], spec };
    const answer = await transport
      .request({ method: 'POST', path: `/apis/${group}/v1/${resource}`, body, timeoutMs: TIMEOUT_MS })
      .catch(nobodyCanSay);
    const status = isRecord(answer) ? answer['status'] : undefined;
    return isRecord(status) ? status : {};
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
      // Without audiences the API server takes its own.
      const isForUs = audiencesOf(token).includes(AUDIENCE);
      const spec = { token, ...(isForUs && { audiences: [AUDIENCE] }) };
      const status = await ask('authentication.k8s.io', 'tokenreviews', spec);
      // An authenticator that knows no audiences names none: then the token was for the API server.
      const isMeant = !isForUs || listOf(status['audiences']).includes(AUDIENCE);
      return status['authenticated'] === true && isMeant ? identityOf(status['user']) : undefined;
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

/**
 * However a question fails, that says nothing about whom it is about; that we may not ask, callers of this tell apart. A
 * webhook may quote what it refuses, and that can be a token: no text is passed on.
 */
function nobodyCanSay(error: unknown): never {
  if (!isAppError(error)) throw error;
  const { code, retryAfterSeconds } = error;
  const refusal = refusalOf(error);
  const message = `The API server has not answered a question about a caller (${code})`;
  throw new AppError(code === 'forbidden' ? 'forbidden' : 'unavailable', message, {
    ...(refusal && { cause: { status: refusal.status } }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** What a JSON Web Token says it is for. Nothing is trusted for it: it only chooses which question to ask. */
function audiencesOf(token: string): readonly unknown[] {
  const [, payload, , ...more] = token.split('.');
  if (payload === undefined || more.length > 0) return [];
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const audience = isRecord(claims) ? claims['aud'] : undefined;
    return Array.isArray(audience) ? audience : [audience];
  } catch {
    return [];
  }
}

function identityOf(user: unknown): Identity | undefined {
  const { username, uid, groups, extra } = isRecord(user) ? user : {};
  if (typeof username !== 'string' || username === '') return undefined;
  return {
    username,
    ...(typeof uid === 'string' && { uid }),
    groups: listOf(groups),
    extra: Object.fromEntries(Object.entries(isRecord(extra) ? extra : {}).map(([key, value]) => [key, listOf(value)])),
  };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
