/** The branches of flags, and which of them contexts reach. */
import type { ClientFeature, ClientStrategy } from '../../src/evaluation/client-document.ts';
import type { ComparedContext } from './compared-context.ts';
import type { DocumentFlags, Evaluated } from './flags-of.ts';

export interface Branch {
  /** The flag, and what it does: `checkout in production: strategy 2 decides`. */
  readonly name: string;
  /** The fields that its rules read. */
  readonly fields: ReadonlySet<string>;
  isReachedBy(context: ComparedContext): boolean;
}

export interface Coverage {
  take(context: ComparedContext): void;
  isReached(branch: Branch): boolean;
  missing(): readonly Branch[];
  readonly size: number;
}

type Holds = (evaluated: Evaluated) => boolean;

/** A flag that is off has no branches. */
export function createCoverage(flags: readonly DocumentFlags[]): Coverage {
  const branches = flags.flatMap((one) => one.names.flatMap((name) => branchesOf(one, name)));
  const open = new Set(branches);
  return {
    size: branches.length,
    take(context) {
      for (const branch of open) if (branch.isReachedBy(context)) open.delete(branch);
    },
    isReached: (branch) => !open.has(branch),
    missing: () => [...open],
  };
}

function branchesOf(flags: DocumentFlags, name: string): readonly Branch[] {
  const feature = flags.feature(name);
  if (!feature?.enabled) return [];
  const fields = fieldsOf(feature);
  const branch = (what: string, holds: Holds): Branch => ({
    name: `${name} in ${flags.environment}: ${what}`,
    fields,
    isReachedBy: (context) => {
      const evaluated = flags.evaluate(name, context);
      return evaluated !== undefined && holds(evaluated);
    },
  });
  const last = feature.strategies.findIndex(isForEveryone);
  const reachable = last < 0 ? feature.strategies : feature.strategies.slice(0, last + 1);
  const isForAll = feature.strategies.length === 0;
  return [
    ...reachable.flatMap((one, index) =>
      isNeverOn(one) ? [] : [branch(`strategy ${index + 1} decides`, ({ strategy }) => strategy === index)],
    ),
    ...(isForAll ? [branch('on for everyone', ({ enabled }) => enabled)] : []),
    ...(isForAll || last >= 0 ? [] : [branch('no strategy applies', ({ decision }) => decision === 'no-strategy')]),
    ...variantsOf(feature).map((variant) =>
      branch(`variant ${variant}`, (evaluated) => evaluated.variant?.name === variant),
    ),
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
