/** Runs one operation on many flags, after a dry run of each. */
import pLimit from 'p-limit';
import { wireNameOf } from '../domain/identity/names.ts';
import { type ErrorDetail, isKnownError, isRefusal, type KnownError, Refusal, reworded } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';

export interface BulkOperation {
  /** The participle for messages, for example `archived`. */
  readonly done: string;
  readonly act: (flag: FeatureFlag, options: { readonly dryRun: boolean }) => Promise<unknown>;
}

interface Failure {
  readonly name: string;
  readonly error: unknown;
}

/** Concurrent calls to the API server. */
const CONCURRENCY = 8;
const MAX_DETAILS = 20;
const MAX_SOURCES = 3;

export async function runBulk(flags: readonly FeatureFlag[], operation: BulkOperation, dryRun: boolean): Promise<void> {
  if (dryRun || flags.length > 1) await simulate(flags, operation);
  if (!dryRun) await execute(flags, operation);
}

/** Reports all refusals of the dry runs in one error. */
async function simulate(flags: readonly FeatureFlag[], { act }: BulkOperation): Promise<void> {
  const limit = pLimit(CONCURRENCY);
  let isAnswering = true;
  const attempt = async (flag: FeatureFlag): Promise<Failure | undefined> => {
    // An API server that does not answer would be waited for again and again.
    if (!isAnswering) return undefined;
    const failure = await failureOf(flag, act(flag, { dryRun: true }));
    if (failure && isKnownError(failure.error) && failure.error.code === 'unavailable') isAnswering = false;
    return failure;
  };
  const tried = await Promise.all(flags.map((flag) => limit(() => attempt(flag))));
  const failures = tried.flatMap((failure) => failure ?? []);
  if (failures.length === 0) return;
  const cause = reportable(failures);
  const owned = failures.filter(isOwned);
  if (failures.length === 1) throw withOwned(cause, owned);
  const details = failures.slice(0, MAX_DETAILS).map(({ error }) => ({ message: messageOf(error) }));
  const more = failures.length > details.length ? ` And ${failures.length - details.length} more.` : '';
  const reasons = [...new Set(details.map(({ message }) => message))].join(' ');
  throw withOwned(reworded(cause, `${reasons}${more} Nothing was written.`, details), owned);
}

interface OwnedFailure extends Failure {
  readonly error: Refusal;
}

function isOwned(failure: Failure): failure is OwnedFailure {
  return isRefusal(failure.error, 'field-managed');
}

/** Adds the flags that protected managers own, and the changes for their sources. */
function withOwned(error: KnownError, owned: readonly OwnedFailure[]): KnownError {
  if (!(error instanceof Refusal) || owned.length === 0) return error;
  const { code, message, details, retryAfterSeconds, frozen } = error;
  const sources = owned.flatMap((failure) => failure.error.sources).slice(0, MAX_SOURCES);
  const ownedFlags = owned.map((failure) => ({ name: failure.name, managers: managersIn(failure.error) }));
  return new Refusal(code, message, { ...{ details, retryAfterSeconds, cause: error, frozen }, sources, ownedFlags });
}

function managersIn({ sources }: Refusal): readonly string[] {
  return [...new Set(sources.map(({ manager }) => manager))];
}

/** Starts no further write after a failure, as its cause may concern all flags. */
async function execute(flags: readonly FeatureFlag[], { act, done }: BulkOperation): Promise<void> {
  const limit = pLimit(CONCURRENCY);
  const finished = new Set<FeatureFlag>();
  const failures: Failure[] = [];
  const work = async (flag: FeatureFlag): Promise<void> => {
    if (failures.length > 0) return;
    const failure = await failureOf(flag, act(flag, { dryRun: false }));
    if (failure) failures.push(failure);
    else finished.add(flag);
  };
  await Promise.all(flags.map((flag) => limit(() => work(flag))));
  const [first] = failures;
  if (!first) return;
  if (flags.length === 1) throw first.error;
  const cause = reportable(failures);
  const details = flags.map((flag): ErrorDetail => {
    const name = wireNameOf(flag);
    const failed = failures.find((failure) => failure.name === name);
    const outcome = failed
      ? `not ${done}: ${messageOf(failed.error)}`
      : finished.has(flag)
        ? `${done}.`
        : 'unchanged: not tried.';
    return { message: `"${name}" is ${outcome}` };
  });
  const message = `Only ${finished.size} of ${flags.length} flags are ${done}, then: ${messageOf(first.error)} The details list each flag. Send the request again with the others.`;
  throw reworded(cause, message, details);
}

async function failureOf(flag: FeatureFlag, attempt: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return { name: wireNameOf(flag), error };
  }
}

/** The first failure; an unknown or internal error among them is thrown unchanged. */
function reportable(failures: readonly Failure[]): KnownError {
  const hidden = failures.find(({ error }) => !isKnownError(error) || error.code === 'internal');
  const { error } = hidden ?? failures[0] ?? {};
  if (hidden || !isKnownError(error)) throw error;
  return error;
}

function messageOf(error: unknown): string {
  return isKnownError(error) ? error.message : '';
}
