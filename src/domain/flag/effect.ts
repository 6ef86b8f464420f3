/** The effect of a flag, for its status and for the admin API. */
import type { Problem } from '../../schema/condition.ts';
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import { builtInStrategyNames } from '../../schema/strategy-definition.ts';
import type { Pauses } from '../freeze/pauses.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, type Finding, pathText, projectNotFound } from '../judgement/findings.ts';
import type { NameConflictWith } from '../name-claims/name-claims.ts';
import { nameTaken } from '../name-claims/name-findings.ts';
import { unusableParents } from './dependencies.ts';
import { defectIn } from './edit/edit-place.ts';
import type { FlagContext } from './flag-context.ts';
import { environmentsOf, isActive, isArchived, projectIdOf, strategiesOf } from './flag-values.ts';
import { isServable, unservableStrategies } from './judge/clients-disagree.ts';
import { costlyEvaluations } from './judge/evaluation-work.ts';
import { isWithinWindow, pausesIn } from './moments.ts';
import { unusableSegments } from './segments-of-flag.ts';

export interface FlagEffect {
  readonly findings: readonly Finding[];
  /** The environments in which the flag is in effect. */
  readonly enabledIn: ReadonlySet<string>;
  /** The environments in which the flag is off only because of the time of its window. */
  readonly outsideWindowIn: ReadonlySet<string>;
  /** The environments in which an evaluation would take too long, so that nobody is sent the strategies. */
  readonly costlyIn: ReadonlySet<string>;
  /** The time for which the effect holds; see `FlagContext`. */
  readonly at: number;
  /** The pauses of ramps in an environment, by its wire name. */
  readonly pausesIn: (environment: string) => Pauses;
}

type Check = (flag: FeatureFlag, flagContext: FlagContext) => readonly Finding[];

const checks: readonly Check[] = [
  (flag) => defectFindings(flag.defects),
  projectExists,
  environmentsExist,
  strategiesAreKnown,
  (flag, { parents }) => unusableParents(flag, parents),
  (flag, { segments }) => unusableSegments(flag, segments),
  switchedOnMeansSomething,
  unservableStrategies,
  (flag, { segments, parents }) => costlyEvaluations(flag, { segments, parents }),
];

/**
 * A flag is on in an environment if `enabled` is true, the time is within its window, a strategy can be sent to SDKs,
 * and there is no error in the environment or in the flag itself. `conflictingOwner` is the object or namespace that
 * has the wire name instead of the flag. The result depends on the time only by `at` of the context.
 */
export function effectOf(flag: FeatureFlag, flagContext: FlagContext, conflictingOwner?: NameConflictWith): FlagEffect {
  const findings = [
    ...nameTaken('flag', flag, conflictingOwner),
    ...checks.flatMap((check) => check(flag, flagContext)),
  ];
  const { at = Number.NEGATIVE_INFINITY } = flagContext;
  return {
    findings,
    ...enabledAt(flag, brokenBy(findings), at),
    costlyIn: costlyIn(findings),
    at,
    pausesIn: pausesIn(flagContext.everyEnvironment),
  };
}

/** The effect at another time, as errors do not depend on the time. */
export function effectAt(flag: FeatureFlag, effect: FlagEffect, at: number): FlagEffect {
  return { ...effect, ...enabledAt(flag, brokenBy(effect.findings), at), at };
}

function costlyIn(findings: readonly Finding[]): ReadonlySet<string> {
  const costly = findings.filter(({ reason }) => reason === 'EvaluationTooCostly');
  return costly.length > 0 ? new Set(costly.flatMap(({ path }) => path[1] ?? [])) : NOWHERE;
}

/**
 * The environments that errors turn off; contains undefined if errors turn off the whole flag. Paths begin below the
 * spec.
 */
export function brokenBy(findings: readonly Finding[]): ReadonlySet<string | undefined> {
  return new Set(
    findings.filter(holdsOff).map(({ path: [first, second] }) => (first === 'environments' ? second : undefined)),
  );
}

/** A strategy that SDKs cannot be sent turns off only itself. */
function holdsOff({ severity, reason }: Pick<Finding, 'severity' | 'reason'>): boolean {
  return severity === 'Error' && reason !== 'ClientsDisagree';
}

/** `broken` is a result of `brokenBy`. `at` is in ms since 1970. */
export function enabledAt(
  flag: FeatureFlag,
  broken: ReadonlySet<string | undefined>,
  at: number,
): Pick<FlagEffect, 'enabledIn' | 'outsideWindowIn'> {
  const offEverywhere = broken.has(undefined) || isArchived(flag);
  const asked = environmentsOf(flag).filter(
    ([name, environment]) =>
      !offEverywhere && !broken.has(name) && environment.enabled === true && hasServed(environment),
  );
  const outside = asked.filter(([, environment]) => !isWithinWindow(environment, at)).map(([name]) => name);
  const outsideWindowIn = outside.length > 0 ? new Set(outside) : NOWHERE;
  const enabledIn = new Set(asked.map(([name]) => name).filter((name) => !outsideWindowIn.has(name)));
  return { enabledIn, outsideWindowIn };
}

function hasServed(environment: FlagEnvironment): boolean {
  return Object.values(environment.strategies ?? {}).some(
    (strategy) => strategy && !strategy.disabled && isServable(strategy),
  );
}

const NOWHERE: ReadonlySet<string> = new Set();

function projectExists(flag: FeatureFlag, { project, projectElsewhere }: FlagContext): readonly Finding[] {
  if (project) return [];
  const { namespace } = flag.metadata;
  return [projectNotFound('flag', { project: projectIdOf(flag), namespace, elsewhere: projectElsewhere })];
}

function environmentsExist(flag: FeatureFlag, flagContext: FlagContext): readonly Finding[] {
  const { project, environments, everyEnvironment } = flagContext;
  const used = new Set(environments.map(wireNameOf));
  return environmentsOf(flag).flatMap(([name]): Finding[] => {
    const place = { severity: 'Error', path: ['environments', name] } as const;
    if (!everyEnvironment.has(name)) {
      return [
        {
          ...place,
          reason: 'EnvironmentNotFound',
          message: `there is no environment "${name}": create it or remove this entry`,
        },
      ];
    }
    if (!project || used.has(name)) return [];
    const message = `project "${projectIdOf(flag)}" does not use the environment "${name}": add it to spec.environments of the project or remove this entry`;
    return [{ ...place, reason: 'EnvironmentNotInProject', message }];
  });
}

/** Lists the built-in types only, because each new definition would change the message otherwise. */
const builtIn = builtInStrategyNames.toSorted().join(', ');

function strategiesAreKnown(flag: FeatureFlag, flagContext: FlagContext): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment)
      .filter(({ strategy }) => !flagContext.strategyTypes.has(strategy.name))
      .map(
        ({ key, strategy }): Finding => ({
          severity: 'Error',
          path: ['environments', name, 'strategies', key, 'name'],
          reason: 'UnknownStrategy',
          message: `there is no strategy type "${strategy.name}": create a StrategyDefinition, or name a built-in one (${builtIn})`,
        }),
      ),
  );
}

function switchedOnMeansSomething(flag: FeatureFlag): readonly Finding[] {
  return (
    environmentsOf(flag)
      // A strategy that cannot be read is an error of its own.
      .filter(([name, environment]) => environment.enabled === true && !isActive(environment) && !defectIn(flag, name))
      .map(([name]) => ({
        severity: 'Error',
        path: ['environments', name, 'enabled'],
        reason: 'EnabledWithoutStrategies',
        message: `the flag is switched on in "${name}" but has no enabled strategy: add one or switch the flag off`,
      }))
  );
}

/** One of the names; undefined if the problem concerns the flag as a whole. */
export function environmentOfProblem({ path }: Pick<Problem, 'path'>, names: readonly string[]): string | undefined {
  return names.find((name) => {
    const place = pathText(['environments', name]);
    return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
  });
}

/** As `brokenBy`, for the spec that the status describes. */
export function brokenByStatus(flag: FeatureFlag): ReadonlySet<string | undefined> {
  const names = environmentsOf(flag).map(([name]) => name);
  const errors = (flag.status?.problems ?? []).filter(holdsOff);
  return new Set(errors.map((problem) => environmentOfProblem(problem, names)));
}
