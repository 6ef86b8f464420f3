/** Secrets, one at a time by their names; no error tells what one holds. */
import { AppError, isAppError } from '../errors.ts';
import { keyOf, type Ref } from '../schema/object.ts';
import { refusalOf } from './errors.ts';
import { isRecord } from './raw-object.ts';
import type { Call, Transport } from './transport.ts';

export interface Secret {
  readonly labels: Readonly<Record<string, string>>;
  /** The uids of the objects that it goes with. */
  readonly owners: readonly string[];
  /** What the asked key holds, byte by byte; undefined: nothing. */
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
  /** It is garbage once this object is gone. */
  readonly owner: SecretOwner;
  readonly value: string;
}

export interface SecretsClient {
  /** Undefined: there is none of that name. */
  read(ref: Ref, signal?: AbortSignal): Promise<Secret | undefined>;
  /** Undefined: the name is taken, and whatever has it is as it was. */
  create(secret: NewSecret, signal?: AbortSignal): Promise<Secret | undefined>;
}

const FIELD_MANAGER = 'vexil';

/** All that is read or written of a Secret is one key. */
export function createSecrets(transport: Transport, key: string): SecretsClient {
  const pathOf = ({ namespace, name }: Ref) =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;

  const exchange = async (ref: Ref, expected: 'not-found' | 'name-taken', call: Call): Promise<Secret | undefined> => {
    try {
      return taken(await transport.request(call), key);
    } catch (error) {
      if (isAppError(error, expected)) return undefined;
      throw withoutContents(ref, error);
    }
  };

  return {
    read: (ref, signal) => exchange(ref, 'not-found', { method: 'GET', path: pathOf(ref), signal }),
    create: ({ ref, labels, owner, value }, signal) =>
      exchange(ref, 'name-taken', {
        method: 'POST',
        path: pathOf({ ...ref, name: '' }).replace(/\/$/, ''),
        query: { fieldManager: FIELD_MANAGER },
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { ...ref, labels, ownerReferences: [{ ...owner, controller: true }] },
          type: 'Opaque',
          immutable: true,
          data: { [key]: Buffer.from(value).toString('base64') },
        },
        signal,
      }),
  };
}

function taken(answer: unknown, key: string): Secret {
  const { metadata, data } = membersOf(answer);
  const { labels, ownerReferences } = membersOf(metadata);
  const value = membersOf(data)[key];
  return {
    labels: membersOf(labels) as Secret['labels'],
    owners: (Array.isArray(ownerReferences) ? ownerReferences : []).map(({ uid }) => String(uid)),
    value: typeof value === 'string' ? Buffer.from(value, 'base64').toString('latin1') : undefined,
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** A webhook may quote what it refuses, and the parser of JSON what it cannot read: the text of neither is passed on. */
function withoutContents(ref: Ref, error: unknown): unknown {
  if (!isAppError(error)) return error;
  const refusal = refusalOf(error);
  const { retryAfterSeconds } = error;
  return new AppError(error.code, `The Secret ${keyOf(ref)} cannot be read or created (${error.code})`, {
    ...(refusal && { cause: { status: refusal.status } }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
