/** Values that the definitions of version 0.1.0 accepted, and the present ones do not accept in a new object. */
import type { Constraint } from '../../../src/schema/constraint.ts';
import { aFlag, aStrategyType } from '../builders.ts';

export const OLD = 'old-values';

export function formerValues(home: string) {
  const constraints: readonly Constraint[] = [
    { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2020-01-31' },
    { contextName: 'birthday', operator: 'DATE_BEFORE', value: '2026-01-31T12:00:00Z' },
    { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3-01' },
    { contextName: 'age', operator: 'NUM_GT', value: '.5' },
    { contextName: 'a"b', operator: 'IN', values: ['ends in \\'] },
  ];
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout: '12.5', groupId: 'a "quoted" group', stickiness: 'default' },
    constraints: [...constraints],
  };
  const flag = aFlag(`${home}/${OLD}`, {
    project: 'shop',
    environments: { production: { enabled: true, strategies: { old: strategy } } },
  });
  /** All values have a form that all SDKs read alike. */
  const normalised = aFlag(`${home}/normalised`, {
    project: 'shop',
    environments: {
      production: {
        enabled: true,
        strategies: {
          old: {
            name: 'flexibleRollout',
            parameters: { rollout: '12.5' },
            constraints: constraints.filter(({ value }) => value === '2020-01-31' || value === '.5'),
          },
        },
      },
    },
  });
  /** A strategy type of this name was a custom type until the type became a built-in one. */
  const type = aStrategyType(`${home}/gradual`, { name: 'gradualRolloutUserId' });
  return { constraints, strategy, flag, normalised, type };
}
