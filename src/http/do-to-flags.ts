/** Does one thing to many flags: each is tried as a dry run before the first is written. */
import pLimit from 'p-limit';
import { wireNameOf } from '../domain/names.ts';
import { AppError, type ErrorDetail, isAppError } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';

export interface Deed {
  /** What flags are once it is done: `archived`. */
  readonly done: string;
  readonly act: (flag: FeatureFlag, options: { readonly dryRun: boolean }) => Promise<unknown>;
}

interface Failure {
  readonly name: string;
  readonly error: unknown;
}

/** Of the calls to the API server. */
const AT_ONCE = 8;
const MOST_DETAILS = 20;

export async function doToFlags(flags: readonly FeatureFlag[], deed: Deed, dryRun: boolean): Promise<void> {
  if (dryRun || flags.length > 1) await rehearse(flags, deed);
  if (!dryRun) await perform(flags, deed);
}

/** All that would be refused is told at once. */
async function rehearse(flags: readonly FeatureFlag[], { act }: Deed): Promise<void> {
  const limit = pLimit(AT_ONCE);
  const tried = await Promise.all(flags.map((flag) => limit(() => failureOf(flag, act(flag, { dryRun: true })))));
  const failures = tried.flatMap((failure) => failure ?? []);
  const [first] = failures;
  if (!first) return;
  if (failures.length === 1) throw first.error;
  const { code, ...facts } = tellable(failures);
  const details = failures.slice(0, MOST_DETAILS).map(({ error }) => ({ message: messageOf(error) }));
  const more = failures.length > details.length ? ` And ${failures.length - details.length} more.` : '';
  const reasons = [...new Set(details.map(({ message }) => message))].join(' ');
  throw new AppError(code, `${reasons}${more} Nothing was written.`, { ...facts, details });
}

/** After a failure nothing new is begun: what it is about may be about all of them. */
async function perform(flags: readonly FeatureFlag[], { act, done }: Deed): Promise<void> {
  const limit = pLimit(AT_ONCE);
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
  const { code, ...facts } = tellable(failures);
  const details = flags.map((flag): ErrorDetail => {
    const name = wireNameOf(flag);
    const failed = failures.find((failure) => failure.name === name);
    const fate = failed ? `not: ${messageOf(failed.error)}` : finished.has(flag) ? `${done}.` : 'as it was: not tried.';
    return { message: `"${name}" is ${fate}` };
  });
  const message = `Only ${finished.size} of ${flags.length} flags are ${done}, then: ${messageOf(first.error)} The details tell of each. Send the request again with the others.`;
  throw new AppError(code, message, { ...facts, details });
}

async function failureOf(flag: FeatureFlag, attempt: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return { name: wireNameOf(flag), error };
  }
}

/** The code of the first failure; one that nobody may be told of is thrown as it is. */
function tellable(
  failures: readonly Failure[],
): Pick<AppError, 'code'> & { retryAfterSeconds?: number; cause: unknown } {
  const hidden = failures.find(({ error }) => !isAppError(error) || error.code === 'internal');
  const { error } = hidden ?? failures[0] ?? {};
  if (!isAppError(error) || error.code === 'internal') throw error;
  const { code, retryAfterSeconds } = error;
  return { code, cause: error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

function messageOf(error: unknown): string {
  return isAppError(error) ? error.message : '';
}
