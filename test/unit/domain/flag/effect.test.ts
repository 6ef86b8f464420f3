/** The part of a flag that is in effect, with its findings. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import type { FlagContext } from '../../../../src/domain/flag/flag-context.ts';
import type { Ref } from '../../../../src/model/object.ts';
import { dependents } from '../dependents.ts';
import { flagObject, projectObject } from '../objects.ts';

const standard = { all: { name: 'default' } };
const on = { enabled: true, strategies: standard };

interface Case {
  readonly spec: object;
  readonly flagContext?: FlagContext;
  readonly conflictingOwner?: Ref;
  readonly wantOn?: readonly string[];
  /** Each finding as `reason path`. */
  readonly wantFound?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  'a flag without a spec is on nowhere and in order': { spec: {} },
  'enabled with a strategy is on': { spec: { environments: { production: on } }, wantOn: ['production'] },
  'a switch that nobody turned on is off': { spec: { environments: { production: { strategies: standard } } } },
  'a switch turned off is off': { spec: { environments: { production: { ...on, enabled: false } } } },
  'an environment without anything in it is off': { spec: { environments: { production: {} } } },
  'enabled without strategies is an error in that environment alone': {
    spec: { environments: { production: { enabled: true }, development: on } },
    wantOn: ['development'],
    wantFound: ['EnabledWithoutStrategies environments.production.enabled'],
  },
  'enabled with all strategies disabled is the same error': {
    spec: { environments: { production: { enabled: true, strategies: { a: { name: 'default', disabled: true } } } } },
    wantFound: ['EnabledWithoutStrategies environments.production.enabled'],
  },
  'one strategy that is not disabled is enough': {
    spec: {
      environments: {
        production: { enabled: true, strategies: { a: { name: 'default', disabled: true }, b: { name: 'default' } } },
      },
    },
    wantOn: ['production'],
  },
  'an unknown strategy type is an error in that environment alone, also when disabled': {
    spec: {
      environments: {
        production: { enabled: true, strategies: { ...standard, odd: { name: 'odd', disabled: true } } },
        development: on,
      },
    },
    wantOn: ['development'],
    wantFound: ['UnknownStrategy environments.production.strategies.odd.name'],
  },
  'every built-in strategy type is known': {
    spec: {
      environments: {
        production: {
          enabled: true,
          strategies: Object.fromEntries(
            ['default', 'flexibleRollout', 'userWithId', 'remoteAddress', 'applicationHostname'].map((name) => [
              name.toLowerCase(),
              { name },
            ]),
          ),
        },
      },
    },
    wantOn: ['production'],
  },
  'an environment that does not exist is an error there alone': {
    spec: { environments: { moon: on, production: on } },
    wantOn: ['production'],
    wantFound: ['EnvironmentNotFound environments.moon'],
  },
  'an environment that is only named must exist too': {
    spec: { environments: { moon: {} } },
    wantFound: ['EnvironmentNotFound environments.moon'],
  },
  'names of members that every object has are names like any other': {
    spec: { environments: { constructor: on, toString: on } },
    wantFound: ['EnvironmentNotFound environments.constructor', 'EnvironmentNotFound environments.toString'],
  },
  'an environment that the project does not use is an error there alone': {
    spec: { environments: { development: on, production: on } },
    flagContext: dependents(projectObject('home/shop', { environments: ['production'] })),
    wantOn: ['production'],
    wantFound: ['EnvironmentNotInProject environments.development'],
  },
  'a project that uses no environment at all holds the flag off': {
    spec: { environments: { production: on } },
    flagContext: dependents(projectObject('home/shop', { environments: [] })),
    wantFound: ['EnvironmentNotInProject environments.production'],
  },
  'without its project the flag is on nowhere, and nothing is said of what the project uses': {
    spec: { environments: { development: on, production: on } },
    flagContext: dependents(null),
    wantFound: ['ProjectNotFound project'],
  },
  'without its project an environment that does not exist is reported as well': {
    spec: { environments: { moon: on } },
    flagContext: dependents(null),
    wantFound: ['ProjectNotFound project', 'EnvironmentNotFound environments.moon'],
  },
  'whose name an older object holds is on nowhere': {
    spec: { environments: { production: on } },
    conflictingOwner: { namespace: 'home', name: 'older' },
    wantFound: ['NameConflict name'],
  },
  'an archived flag is on nowhere, without anything being wrong': {
    spec: { archived: true, environments: { production: on } },
  },
  'archived: false is not archived': {
    spec: { archived: false, environments: { production: on } },
    wantOn: ['production'],
  },
  'a stale flag is on as before': { spec: { stale: true, environments: { production: on } }, wantOn: ['production'] },
  'a defect in one environment leaves the others alone': {
    spec: { environments: { development: { ...on, enabled: 'yes' }, production: on } },
    wantOn: ['production'],
    wantFound: ['InvalidSpec environments.development.enabled'],
  },
  'a defect in a strategy holds off its environment alone': {
    spec: {
      environments: {
        development: { enabled: true, strategies: { ...standard, half: { name: 'default', sortOrder: -1 } } },
        production: on,
      },
    },
    wantOn: ['production'],
    wantFound: ['InvalidSpec environments.development.strategies.half.sortOrder'],
  },
  'a defect outside of the environments holds the whole flag off': {
    spec: { description: 5, environments: { production: on } },
    wantFound: ['InvalidSpec description'],
  },
  'environments that are no map hold the whole flag off': {
    spec: { environments: [on] },
    wantFound: ['InvalidSpec environments'],
  },
  'variants that break a rule hold the whole flag off': {
    spec: { variants: [{ name: 'only', weightType: 'fix', weight: 10 }], environments: { production: on } },
    wantFound: ['InvalidSpec variants'],
  },
};

const words = (path: readonly string[]) => path.join('.');

describe('effect', () => {
  test.each(Object.entries(cases))(
    '%s',
    (_, { spec, flagContext = dependents(), conflictingOwner, wantOn = [], wantFound = [] }) => {
      const { enabledIn, findings } = effectOf(flagObject('home/flag', spec), flagContext, conflictingOwner);
      expect([...enabledIn].sort()).toEqual([...wantOn].sort());
      expect(findings.map(({ reason, path }) => `${reason} ${words(path)}`)).toEqual(wantFound);
    },
  );

  test('a project in another namespace is named with it, because another one of that id could not be created', () => {
    const { findings } = effectOf(flagObject('home/flag'), { ...dependents(null), projectElsewhere: 'away' });
    expect(findings.map(({ reason, message }) => [reason, message])).toEqual([
      [
        'ProjectNotFound',
        'the project "shop" is in namespace away and this flag is not: create the flag there, or under another project',
      ],
    ]);
  });

  test('every finding is an error, because nothing else decides whether a flag is on', () => {
    const spec = { environments: { moon: { enabled: true, strategies: { odd: { name: 'odd' } } } } };
    const { findings } = effectOf(flagObject('home/flag', spec), dependents(null));
    expect(findings.map(({ severity }) => severity)).toEqual(['Error', 'Error', 'Error']);
  });

  test('messages name the value and the remedy', () => {
    const spec = { environments: { moon: { enabled: true, strategies: { odd: { name: 'odd', disabled: true } } } } };
    const { findings } = effectOf(flagObject('home/flag', spec), dependents(null), { namespace: 'a', name: 'b' });
    expect(Object.fromEntries(findings.map(({ reason, message }) => [reason, message]))).toEqual({
      NameConflict: 'the flag name "flag" is owned by a/b and belongs to the namespace a: choose another name',
      ProjectNotFound: 'there is no project "shop" in namespace home: create it there',
      EnvironmentNotFound: 'there is no environment "moon": create it or remove this entry',
      UnknownStrategy:
        'there is no strategy type "odd": create a StrategyDefinition, or name a built-in one (applicationHostname, default, flexibleRollout, gradualRolloutRandom, gradualRolloutSessionId, gradualRolloutUserId, remoteAddress, userWithId)',
      EnabledWithoutStrategies:
        'the flag is switched on in "moon" but has no enabled strategy: add one or switch the flag off',
    });
  });
});
