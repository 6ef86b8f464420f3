/** The rule of each strategy type. */
import { compileRanges } from './address.ts';
import { compileBuckets } from './bucket.ts';
import type { ClientStrategy } from './client-document.ts';
import type { Situation } from './context.ts';
import { parseDecimal } from './operand.ts';
import type { RuleResult } from './why.ts';

export interface StrategyRule {
  readonly includes: (situation: Situation, trace?: RuleResult) => boolean;
  /** Whether it includes all contexts. */
  readonly isForAll: boolean;
}

type Compile = (parameters: ClientStrategy['parameters'], flag: string) => StrategyRule;

const ROLLOUT_SEED = 0;

const types: ReadonlyMap<string, Compile> = new Map<string, Compile>([
  ['default', () => ({ includes: () => true, isForAll: true })],
  ['flexibleRollout', flexibleRollout],
  ['gradualRolloutUserId', gradualRollout('userId')],
  ['gradualRolloutSessionId', gradualRollout('sessionId')],
  ['gradualRolloutRandom', gradualRollout('random')],
  ['userWithId', userWithId],
  ['remoteAddress', remoteAddress],
  ['applicationHostname', () => never('only the application knows the name of its host')],
]);

export function compileRule({ name, parameters }: ClientStrategy, flag: string): StrategyRule {
  return types.get(name)?.(parameters, flag) ?? never('only SDKs that know this strategy type evaluate it');
}

/** Whether only the application can evaluate the strategy type. */
export function isForApplications(name: string): boolean {
  return name === 'applicationHostname' || !types.has(name);
}

function flexibleRollout(
  { rollout, stickiness = 'default', groupId }: ClientStrategy['parameters'],
  flag: string,
): StrategyRule {
  return upTo(rollout, { stickiness, group: groupId ?? flag });
}

function gradualRollout(stickiness: string): Compile {
  return ({ percentage, groupId }, flag) => upTo(percentage, { stickiness, group: groupId ?? flag });
}

/** Buckets are whole numbers, so the decimals of a percentage have no effect. */
function upTo(percentage: string | undefined, from: { stickiness: string; group: string }): StrategyRule {
  const limit = percentage === undefined ? undefined : parseDecimal(percentage);
  if (limit === undefined)
    return never(percentage === undefined ? 'there is no percentage' : 'the percentage is not a number');
  const fallbacks = ['userId', 'sessionId'];
  const { bucketOf, isTotal } = compileBuckets({ ...from, of: 100, seed: ROLLOUT_SEED, fallbacks, elseRandom: false });
  return {
    includes(situation, trace) {
      const bucket = bucketOf(situation, trace);
      if (trace) trace.limit = limit;
      return bucket !== undefined && bucket <= limit;
    },
    isForAll: isTotal && limit >= 100,
  };
}

function userWithId({ userIds }: ClientStrategy['parameters']): StrategyRule {
  const wanted = new Set(listOf(userIds));
  return someOf(({ context }) => wanted.has(context.get('userId') ?? ''));
}

function remoteAddress({ IPs }: ClientStrategy['parameters']): StrategyRule {
  const isWithin = compileRanges(listOf(IPs));
  return someOf(({ context }) => isWithin(context.get('remoteAddress') ?? '') ?? false);
}

export function listOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function never(problem: string): StrategyRule {
  return someOf((_, trace) => {
    if (trace) trace.problem = problem;
    return false;
  });
}

function someOf(includes: StrategyRule['includes']): StrategyRule {
  return { includes, isForAll: false };
}
