/** Reads and creates single Secrets by name; errors never contain their data. */
import { ClusterError, isClusterError } from '../../errors.ts';
import { recordOf, recordsIn } from '../../model/json.ts';
import { keyOf, type Ref } from '../../model/object.ts';
import { withoutTexts } from './errors.ts';
import { resourcePath } from './paths.ts';
import { AWAITED_TIMEOUT_MS, type Call, readCall, type Transport, type WriteFence } from './transport.ts';

export interface Secret {
  readonly labels: Readonly<Record<string, string>>;
  /** The uids of its owner references. */
  readonly owners: readonly string[];
  /** The field managers that wrote it. */
  readonly managers: readonly string[];
  /** The data of the key, one character per byte; undefined: the key is absent. */
  readonly value: string | undefined;
}

export interface SecretOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface NewSecret {
  readonly ref: Ref;
  readonly labels: Readonly<Record<string, string>>;
  /** Garbage collection deletes the Secret with this object; absent: it stays. */
  readonly owner?: SecretOwner;
  readonly value: string;
}

export interface SecretsClient {
  /** Undefined: no Secret has that name. */
  read(ref: Ref, signal?: AbortSignal): Promise<Secret | undefined>;
  /** Undefined: the name is taken; the existing Secret is unchanged. */
  create(secret: NewSecret, fence?: WriteFence): Promise<Secret | undefined>;
}

const SECRETS = { plural: 'secrets', root: 'api/v1' };

/** The field manager of Secrets that the operator creates. */
export const CREATED_BY = 'vexil';

/** The client reads and writes one key of each Secret. */
export function createSecrets(transport: Pick<Transport, 'request'>, key: string): SecretsClient {
  const exchange = async (
    ref: Ref,
    expected: 'not-found' | 'name-taken',
    call: () => Call,
  ): Promise<Secret | undefined> => {
    try {
      return taken(await transport.request(call()), key);
    } catch (error) {
      if (isClusterError(error, expected)) return undefined;
      throw withoutContents(ref, error);
    }
  };

  return {
    read: (ref, signal) =>
      exchange(ref, 'not-found', () => readCall(resourcePath(SECRETS, ref.namespace, ref.name), signal)),
    create: ({ ref, labels, owner, value }, fence) =>
      exchange(ref, 'name-taken', () => ({
        method: 'POST',
        path: resourcePath(SECRETS, ref.namespace),
        query: { fieldManager: CREATED_BY },
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { ...ref, labels, ...(owner && { ownerReferences: [{ ...owner, controller: true }] }) },
          type: 'Opaque',
          immutable: true,
          data: { [key]: Buffer.from(value).toString('base64') },
        },
        timeoutMs: AWAITED_TIMEOUT_MS,
        ...fence,
      })),
  };
}

function taken(answer: unknown, key: string): Secret {
  const { metadata, data } = recordOf(answer);
  const { labels, ownerReferences, managedFields } = recordOf(metadata);
  const value = recordOf(data)[key];
  return {
    labels: recordOf(labels) as Secret['labels'],
    owners: recordsIn(ownerReferences).map(({ uid }) => String(uid)),
    managers: recordsIn(managedFields).map(({ manager }) => String(manager)),
    value: typeof value === 'string' ? Buffer.from(value, 'base64').toString('latin1') : undefined,
  };
}

/** Drops the original message: a webhook may quote the rejected object, and the JSON parser its input. */
function withoutContents(ref: Ref, error: unknown): unknown {
  if (!isClusterError(error) || error.code === 'missing-permission') return error;
  const { answer, retryAfterSeconds } = error;
  return new ClusterError(error.code, `The Secret ${keyOf(ref)} cannot be read or created (${error.code})`, {
    answer: withoutTexts(answer),
    retryAfterSeconds,
  });
}
