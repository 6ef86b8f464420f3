/** Creates an API token, and waits until the leader has generated its value. */
import { generatedSecretName, secretRefOf, secretStateOf } from '../domain/tokens/token-secret.ts';
import { Refusal } from '../errors.ts';
import { ignoreNotFound } from '../kube/api/errors.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { ApiToken, ApiTokenSpec, ApiTokenStatus } from '../schema/api-token.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import { refusalOfTakenName } from './name-refusals.ts';
import type { Services } from './services.ts';
import { nothingCreated, untilLeaderActs } from './until-leader-acts.ts';
import { waitForCache } from './wait-for-cache.ts';

export interface TokenRequest {
  readonly wireName: string;
  /** The spec without the name. */
  readonly spec: ApiTokenSpec;
  readonly dryRun: boolean;
}

export interface CreatedToken {
  readonly token: ApiToken;
  /** Undefined: nothing was written. */
  readonly value: string | undefined;
}

/** A token whose value cannot be shown is deleted again, as the value is shown only once. */
export async function createApiToken(services: Services, wanted: TokenRequest): Promise<CreatedToken> {
  const { catalog, tokens, home } = services;
  if (catalog.token(wanted.wireName)) throw tokenExists(wanted);
  const { object, isNew } = await createUnderFreeName(requiringSecretAccess(services), { namespace: home, ...wanted });
  if (!isNew) throw tokenExists(wanted);
  if (wanted.dryRun) return { token: object, value: undefined };
  try {
    return await withValue(services, object, wanted);
  } catch (error) {
    await tokens.undoCreate(object).catch(ignoreNotFound);
    throw error;
  }
}

/**
 * The answer shows the content of a Secret. A caller who may create ApiTokens and not read Secrets cannot read the
 * value with kubectl, so it must not get it here either.
 */
function requiringSecretAccess({
  caller,
  tokens,
}: Services): Pick<Resource<ApiTokenSpec, ApiTokenStatus>, 'create' | 'live'> {
  return {
    live: tokens.live,
    async create(namespace, object, options) {
      const name = generatedSecretName(object.name);
      const access = { verb: 'get', group: '', resource: 'secrets', namespace, name };
      const refusal = await caller.refusalOfWrite(access, { object: name, place: `the namespace "${namespace}"` });
      if (refusal === undefined) return tokens.create(namespace, object, options);
      throw new Refusal('forbidden', `${refusal} The answer would show the value that it holds.`);
    },
  };
}

/** Watches the status in the cache of this replica, so that it works on every replica. */
async function withValue(services: Services, { metadata }: ApiToken, wanted: TokenRequest): Promise<CreatedToken> {
  const { catalog, tokens } = services;
  const look = () => {
    const present = tokens.get(metadata);
    if (present?.metadata.uid !== metadata.uid)
      throw new Refusal('conflict', `The API token "${wanted.wireName}" was deleted meanwhile.`);
    if (catalog.tokenConflictWith(present)) throw tokenExists(wanted);
    return present.status?.sha256 === undefined ? undefined : present;
  };
  const read = async (signal: AbortSignal) => {
    const token = await waitForCache(look, { caches: [tokens], signal });
    return { token, value: await readValue(services, token, signal) };
  };
  return untilLeaderActs(services, read, () => missingValue(tokens.get(metadata), wanted));
}

/** Returns only the value whose digest is in the status. */
async function readValue({ secrets }: Services, token: ApiToken, signal: AbortSignal): Promise<string | undefined> {
  const secret = await secrets.read(secretRefOf(token), signal);
  const holding = secretStateOf(token, secret);
  if (holding.state === 'value' && holding.sha256 === token.status?.sha256) return secret?.value;
  const message =
    'The Secret of the token was changed meanwhile, and nothing was created. Send the same request again.';
  throw new Refusal('unavailable', message, { retryAfterSeconds: 1 });
}

function missingValue(token: ApiToken | undefined, wanted: TokenRequest): Refusal {
  const isTaken = token?.status?.problems?.some(({ reason }) => reason === 'SecretNotOurs');
  if (isTaken) {
    const message = `The Secret that would hold the value of the API token "${wanted.wireName}" exists already, for something else. Choose another name.`;
    return new Refusal('name-taken', message);
  }
  return nothingCreated('generated a value');
}

function tokenExists({ wireName }: TokenRequest): Refusal {
  return refusalOfTakenName({ subject: 'An API token', name: wireName });
}
