/** The keys of sessions, from a Secret that all replicas share (docs/console.md#the-key). */
import { ClusterError, Refusal } from '../../errors.ts';
import type { Secret, SecretsClient } from '../../kube/api/secrets.ts';
import { keyOf, type Ref } from '../../model/object.ts';
import { SESSION_KEY_BYTES, type SessionKey, sessionKey } from './seal.ts';

/** A deleted or replaced Secret takes effect on each replica within this time. */
export const MAX_KEY_AGE_MS = 60_000;
/** The least time between two readings of the Secret because of an unknown key: anyone can send one. */
const MIN_READ_INTERVAL_MS = 1_000;
/** How long a request with a known key waits for an API server that does not answer. */
const MAX_READ_WAIT_MS = 1_000;

export interface SessionKeysParts {
  readonly secrets: SecretsClient;
  readonly ref: Ref;
  readonly newKey: () => Buffer;
  /** Called with the field managers of a Secret whose keys are new here: who made it can make sessions. */
  readonly onKeys: (managers: readonly string[]) => void;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** Resolves after so many ms. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface SessionKeys {
  /** Creates the Secret at the start, before anybody else can. */
  prepare(): Promise<void>;
  /** The key that seals new sessions. Creates the Secret if there is none. */
  sealing(): Promise<SessionKey>;
  /** The key with this id; undefined: there is none. */
  withId(id: string): Promise<SessionKey | undefined>;
}

export function createSessionKeys({ secrets, ref, newKey, onKeys, now, pause }: SessionKeysParts): SessionKeys {
  let known: { readonly keys: readonly SessionKey[]; readonly at: number } | undefined;
  let reading: Promise<readonly SessionKey[]> | undefined;

  const remember = (secret: Secret | undefined): readonly SessionKey[] => {
    const keys = secret ? keysIn(ref, secret.value) : [];
    const isNew = keys.some(({ id }) => known?.keys.every((one) => one.id !== id) ?? true);
    if (secret && isNew) onKeys(secret.managers);
    known = { keys, at: now() };
    return keys;
  };
  const read = (): Promise<readonly SessionKey[]> => {
    reading ??= secrets
      .read(ref)
      .then(remember)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  /** While the API server cannot be reached, the last keys still hold: their tokens are checked in any case. */
  const readAgain = () =>
    read().catch((error: unknown) => {
      if (!known || !(error instanceof ClusterError)) throw error;
      return keep(known);
    });
  /** Extends the life of the known keys, so that not every request waits for an API server that does not answer. */
  const keep = ({ keys }: NonNullable<typeof known>): readonly SessionKey[] => {
    known = { keys, at: now() };
    return keys;
  };
  const readSoon = () => Promise.race([readAgain(), pause(MAX_READ_WAIT_MS).then(() => (known ? keep(known) : []))]);
  const ageMs = () => now() - (known?.at ?? Number.NEGATIVE_INFINITY);

  const create = () => secrets.create({ ref, labels: {}, value: newKey().toString('base64') });

  return {
    async prepare() {
      const secret = (await secrets.read(ref)) ?? (await create());
      if (secret) remember(secret);
    },
    async sealing() {
      const [first] = await read();
      if (first) return first;
      const created = await create();
      // Another replica may have been faster.
      const [key] = created ? remember(created) : await read();
      if (key) return key;
      throw unusable(ref, 'it was deleted just now');
    },
    async withId(id) {
      const find = (keys: readonly SessionKey[] = []) => keys.find((key) => key.id === id);
      const found = find(known?.keys);
      if (found) return ageMs() > MAX_KEY_AGE_MS ? find(await readSoon()) : found;
      return ageMs() > MIN_READ_INTERVAL_MS ? find(await readAgain()) : undefined;
    },
  };
}

/** One key a line, in base64. The first one seals. */
function keysIn(ref: Ref, value = ''): readonly SessionKey[] {
  const keys = value.split('\n').flatMap((line) => (line.trim() === '' ? [] : [Buffer.from(line.trim(), 'base64')]));
  if (keys.length === 0) throw unusable(ref, 'it has no keys');
  if (keys.some(({ length }) => length !== SESSION_KEY_BYTES)) {
    throw unusable(ref, `a line is not the base64 of ${SESSION_KEY_BYTES} bytes`);
  }
  return keys.map(sessionKey);
}

function unusable(ref: Ref, why: string): Refusal {
  return new Refusal(
    'unavailable',
    `Sessions need the Secret ${keyOf(ref)}, and its key "keys" cannot be used: ${why}.`,
  );
}
