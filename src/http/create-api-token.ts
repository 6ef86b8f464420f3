/** Creates an API token, and waits until the leader has given it its value. */
import { generatedSecretName, holdingIn, secretRefOf } from '../domain/token-secret.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Resource } from '../kube/resource.ts';
import type { ApiToken, ApiTokenSpec, ApiTokenStatus } from '../schema/api-token.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';
import { until } from './until.ts';

export interface WantedToken {
  readonly wireName: string;
  /** Without its name. */
  readonly spec: ApiTokenSpec;
  readonly dryRun: boolean;
}

export interface CreatedToken {
  readonly token: ApiToken;
  /** Undefined: nothing was written. */
  readonly value: string | undefined;
}

const ANSWER_WITHIN_MS = 15_000;
const ASK_AGAIN_SECONDS = 5;

/** A token whose value cannot be shown is taken back: nobody would ever know it. */
export async function createApiToken(services: Services, wanted: WantedToken): Promise<CreatedToken> {
  const { catalog, tokens, home } = services;
  if (catalog.token(wanted.wireName)) throw nameTaken(wanted);
  const { object, isNew } = await createUnderFreeName(askingForSecret(services), { namespace: home, ...wanted });
  if (!isNew) throw nameTaken(wanted);
  if (wanted.dryRun) return { token: object, value: undefined };
  try {
    return await withValue(services, object, wanted);
  } catch (error) {
    await tokens.takeBack(object).catch(unlessGone);
    throw error;
  }
}

/**
 * Who may create ApiTokens need not be allowed to read Secrets, and then learns no value with kubectl. Here neither:
 * what is answered is the content of the Secret of that name.
 */
function askingForSecret({
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
      throw new AppError('forbidden', `${refusal} The answer would show the value that is kept there.`);
    },
  };
}

/** The status in the cache of this replica tells that there is one, whoever leads. */
async function withValue(services: Services, { metadata }: ApiToken, wanted: WantedToken): Promise<CreatedToken> {
  const { catalog, tokens, ending } = services;
  const timely = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const signal = AbortSignal.any([ending, timely]);
  const look = () => {
    const present = tokens.get(metadata);
    if (present?.metadata.uid !== metadata.uid)
      throw new AppError('conflict', `${said(wanted)} was deleted meanwhile.`);
    if (catalog.tokenRival(present)) throw nameTaken(wanted);
    return present.status?.sha256 === undefined ? undefined : present;
  };
  try {
    const token = await until(look, { caches: [tokens], signal });
    return { token, value: await readValue(services, token, signal) };
  } catch (error) {
    if (ending.aborted)
      throw unavailable('This replica is stopping, and nothing was created. Send the same request again.', 1);
    if (timely.aborted) throw whyNoValue(tokens.get(metadata), wanted);
    throw error;
  }
}

/** Only the value whose digest lets its holder in. */
async function readValue({ secrets }: Services, token: ApiToken, signal: AbortSignal): Promise<string | undefined> {
  const secret = await secrets.read(secretRefOf(token), signal);
  const holding = holdingIn(token, secret);
  if (holding.state === 'value' && holding.sha256 === token.status?.sha256) return secret?.value;
  throw unavailable(
    'The Secret of the token was changed meanwhile, and nothing was created. Send the same request again.',
    1,
  );
}

function whyNoValue(token: ApiToken | undefined, wanted: WantedToken): AppError {
  const isTaken = token?.status?.problems?.some(({ reason }) => reason === 'SecretNotOurs');
  if (isTaken) {
    const message = `The Secret that would hold the value of ${said(wanted)} is there already, for something else. Choose another name.`;
    return new AppError('name-taken', message);
  }
  const message = 'No replica has made a value in time, so nothing was created. Send the same request again.';
  return unavailable(message, ASK_AGAIN_SECONDS);
}

function nameTaken(wanted: WantedToken): AppError {
  return new AppError('name-taken', `${said(wanted)} already exists. Choose another name.`);
}

function said({ wireName }: WantedToken): string {
  return `An API token with the name "${wireName}"`;
}

function unlessGone(error: unknown): void {
  if (!isAppError(error, 'not-found')) throw error;
}

function unavailable(message: string, retryAfterSeconds: number): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds });
}
