/** The context fields that decide about a flag, with a value that its rules name. */
import type { Schemas } from '../api.generated.ts';

export interface NamedField {
  readonly name: string;
  /** A value from the rules; empty if they name none. */
  readonly example: string;
}

interface EvaluatedRules {
  readonly environments: readonly Pick<Schemas['FeatureEnvironment'], 'strategies' | 'variants'>[];
  readonly segments: readonly Pick<Schemas['Segment'], 'id' | 'constraints'>[];
}

/** The form has these already. */
const ELSEWHERE: readonly string[] = ['environment', 'currentTime'];

/** What the built-in types read besides constraints. */
const FIELDS_OF_TYPES: Readonly<Record<string, { readonly name: string; readonly parameter?: string }>> = {
  userWithId: { name: 'userId', parameter: 'userIds' },
  remoteAddress: { name: 'remoteAddress', parameter: 'IPs' },
  gradualRolloutUserId: { name: 'userId' },
  gradualRolloutSessionId: { name: 'sessionId' },
};

/** In the order of the rules, each once; `userId` if the rules name none. */
export function fieldsOfFlag({ environments, segments }: EvaluatedRules): readonly NamedField[] {
  const strategies = environments.flatMap((environment) => environment.strategies);
  const variants = [...environments, ...strategies].flatMap((one) => one.variants ?? []);
  const named = [
    ...strategies.flatMap((strategy) => fieldsOfStrategy(strategy, segments)),
    ...variants.flatMap(({ stickiness }) => fieldOfStickiness(stickiness)),
  ].filter(({ name }) => !ELSEWHERE.includes(name));
  const byName = Map.groupBy(named, ({ name }) => name);
  const fields = [...byName].map(([name, same]) => {
    return { name, example: same.find(({ example }) => example !== '')?.example ?? '' };
  });
  return fields.length > 0 ? fields : [{ name: 'userId', example: '' }];
}

function fieldsOfStrategy(strategy: Schemas['Strategy'], segments: EvaluatedRules['segments']): readonly NamedField[] {
  const { name, parameters, constraints, segments: ids = [] } = strategy;
  const ofSegments = segments.filter(({ id }) => ids.includes(id)).flatMap((segment) => segment.constraints);
  const ofType = FIELDS_OF_TYPES[name];
  return [
    ...[...constraints, ...ofSegments].map(({ contextName, values, value }) => {
      return { name: contextName, example: value ?? values[0] ?? '' };
    }),
    ...(ofType ? [{ name: ofType.name, example: firstOf(parameters[ofType.parameter ?? '']) }] : []),
    ...(name === 'flexibleRollout' ? fieldOfStickiness(parameters['stickiness']) : []),
  ];
}

/** The value `default` means the user, then the session; `random` means no field. */
function fieldOfStickiness(stickiness: unknown): readonly NamedField[] {
  if (stickiness === 'random') return [];
  const name = typeof stickiness === 'string' && stickiness !== 'default' ? stickiness : 'userId';
  return [{ name, example: '' }];
}

function firstOf(list: unknown): string {
  return typeof list === 'string' ? (list.split(',')[0]?.trim() ?? '') : '';
}
