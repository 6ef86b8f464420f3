/** The branches of flags, and which of them contexts reach. */
import type { ClientFeature, ClientStrategy } from '../client-document.ts';
import type { DocumentFlags, Evaluated, FieldsOfContext } from './document-flags.ts';
import { type FieldValues, fieldValues } from './field-values.ts';

export interface Branch {
  /** The flag, and what it does: `checkout in production: strategy 2 decides`. */
  readonly name: string;
  /** The fields that its rules read. */
  readonly fields: ReadonlySet<string>;
  /** The values that its own constraints name, without those of segments. */
  readonly values: FieldValues;
  readonly holds: (evaluated: Evaluated) => boolean;
  isReachedBy(context: FieldsOfContext): boolean;
}

export interface Coverage {
  take(context: FieldsOfContext): void;
  isReached(branch: Branch): boolean;
  missing(): readonly Branch[];
  readonly size: number;
}

/** A flag that is off has no branches. */
export function createCoverage(flags: readonly DocumentFlags[]): Coverage {
  const groups = flags.flatMap((one) => one.names.map((name) => branchesOf(one, name)));
  const open = new Set(groups.flatMap(({ branches }) => branches));
  return {
    size: open.size,
    take(context) {
      for (const group of groups) for (const branch of reachedIn(group, context, open)) open.delete(branch);
    },
    isReached: (branch) => !open.has(branch),
    missing: () => [...open],
  };
}

interface BranchesOfFlag {
  readonly branches: readonly Branch[];
  readonly evaluate: (context: FieldsOfContext) => Evaluated | undefined;
}

function branchesOf(flags: DocumentFlags, name: string): BranchesOfFlag {
  const feature = flags.feature(name);
  const evaluate = (context: FieldsOfContext) => flags.evaluate(name, context);
  if (!feature?.enabled) return { branches: [], evaluate };
  const fields = fieldsOf(feature);
  const branches = conditionsOf(feature).map(([what, holds, own = []]) => ({
    name: `${name} in ${flags.environment}: ${what}`,
    fields,
    values: fieldValues([{ features: [{ ...feature, strategies: own, variants: [] }], segments: [] }]),
    holds,
    isReachedBy: (context: FieldsOfContext) => {
      const evaluated = evaluate(context);
      return evaluated !== undefined && holds(evaluated);
    },
  }));
  return { branches, evaluate };
}

/** Evaluates the flag once for all of its branches that are not reached yet. */
function reachedIn(
  { branches, evaluate }: BranchesOfFlag,
  context: FieldsOfContext,
  open: ReadonlySet<Branch>,
): readonly Branch[] {
  const missing = branches.filter((branch) => open.has(branch));
  const evaluated = missing.length === 0 ? undefined : evaluate(context);
  return evaluated === undefined ? [] : missing.filter(({ holds }) => holds(evaluated));
}

type CoveredCondition = readonly [what: string, holds: Branch['holds'], own?: readonly ClientStrategy[]];

function conditionsOf(feature: ClientFeature): readonly CoveredCondition[] {
  const last = feature.strategies.findIndex(isForEveryone);
  const reachable = last < 0 ? feature.strategies : feature.strategies.slice(0, last + 1);
  const isForAll = feature.strategies.length === 0;
  const decides = reachable.flatMap((one, index): CoveredCondition[] =>
    isNeverOn(one) ? [] : [[`strategy ${index + 1} decides`, ({ strategy }) => strategy === index, [one]]],
  );
  const chosen = variantsOf(feature).map(
    (name): CoveredCondition => [`variant ${name}`, ({ variant }) => variant?.name === name],
  );
  return [
    ...decides,
    ...(isForAll ? ([['on for everyone', ({ enabled }) => enabled]] satisfies CoveredCondition[]) : []),
    ...(isForAll || last >= 0
      ? []
      : ([['no strategy applies', ({ decision }) => decision === 'no-strategy']] satisfies CoveredCondition[])),
    ...chosen,
  ];
}

/** No later strategy decides. */
function isForEveryone({ name, parameters, constraints, segments = [] }: ClientStrategy): boolean {
  const takesAll = name === 'default' || (name === 'flexibleRollout' && parameters['rollout'] === '100');
  return takesAll && constraints.length === 0 && segments.length === 0;
}

function isNeverOn({ parameters }: ClientStrategy): boolean {
  return parameters['rollout'] === '0' || parameters['percentage'] === '0';
}

function variantsOf({ variants, strategies }: ClientFeature): readonly string[] {
  if (strategies.length > 0 && strategies.every(isNeverOn)) return [];
  const all = [...strategies.filter((one) => !isNeverOn(one)).flatMap((strategy) => strategy.variants), ...variants];
  return [...new Set(all.filter(({ weight }) => weight > 0).map(({ name }) => name))];
}

function fieldsOf({ strategies, variants }: ClientFeature): ReadonlySet<string> {
  const stickiness = strategies.flatMap(({ parameters }) => parameters['stickiness'] ?? []);
  const constrained = strategies.flatMap(({ constraints }) => constraints.map(({ contextName }) => contextName));
  const listed = strategies.flatMap(({ name }) => LISTS[name] ?? []);
  const overridden = variants.flatMap(({ overrides = [] }) => overrides.map(({ contextName }) => contextName));
  return new Set([
    ...constrained,
    ...stickiness.filter((one) => one !== 'userId' && one !== 'sessionId'),
    ...listed,
    ...overridden,
  ]);
}

/** The fields that the built-in types with lists read. */
const LISTS: Readonly<Record<string, string>> = { userWithId: 'userId', remoteAddress: 'remoteAddress' };
