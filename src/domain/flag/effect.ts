/** The effect of a flag, for its status and for the admin API. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { builtInStrategyNames } from '../../schema/strategy-definition.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, type Finding, isError, projectNotFound } from '../judgement/findings.ts';
import type { NameConflictWith } from '../name-claims/name-claims.ts';
import { nameTaken } from '../name-claims/name-findings.ts';
import { unusableParents } from './dependencies.ts';
import { defectIn } from './edit-place.ts';
import type { FlagContext } from './flag-context.ts';
import { environmentsOf, isActive, isArchived, projectIdOf, strategiesOf } from './flag-values.ts';
import { unusableSegments } from './segments-of-flag.ts';

export interface FlagEffect {
  readonly findings: readonly Finding[];
  /** Where the flag is really on. */
  readonly enabledIn: ReadonlySet<string>;
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
];

/**
 * On in an environment: `enabled`, a strategy that is not disabled, no error in the environment, none in the flag itself.
 * `conflictingOwner` has the wire name instead of the flag, if any object or namespace has. Does not depend on the time.
 */
export function effectOf(flag: FeatureFlag, flagContext: FlagContext, conflictingOwner?: NameConflictWith): FlagEffect {
  const findings = [
    ...nameTaken('flag', flag, conflictingOwner),
    ...checks.flatMap((check) => check(flag, flagContext)),
  ];
  const broken = new Set(
    findings.filter(isError).map(({ path }) => (path[0] === 'environments' ? path[1] : undefined)),
  );
  const offEverywhere = broken.has(undefined) || isArchived(flag);
  const enabledIn = environmentsOf(flag).filter(
    ([name, environment]) =>
      !offEverywhere && !broken.has(name) && environment.enabled === true && isActive(environment),
  );
  return { findings, enabledIn: new Set(enabledIn.map(([name]) => name)) };
}

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

/** Not all that are known: then each new definition would change this message. */
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
        message: `the flag is switched on in "${name}" without a strategy that is not disabled: add one or switch it off`,
      }))
  );
}
