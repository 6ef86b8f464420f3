/** Objects that use fields and values that version 0.1.0 does not know. */
import { aFlag, anEnvironment, aProject, aSegment, type Manifest } from '../builders.ts';

const UNTIL = '2099-01-03T00:00:00Z';

/** Returns the objects in the order of their references. The Segment, a kind that 0.1.0 does not have, comes last. */
export function newerObjects(home: string): readonly Manifest[] {
  const everyone = { all: { name: 'default' } };
  return [
    anEnvironment(`${home}/production`, {
      freezes: [{ name: 'year-end', from: '2098-12-20T00:00:00Z', until: UNTIL, reason: 'The year is closed' }],
    }),
    aProject(`${home}/shop`, { usedFlags: 'Refuse', alerts: 'Force' }),
    aFlag(`${home}/parent`, { environments: { production: { enabled: true, strategies: everyone } } }),
    aFlag(`${home}/windowed`, {
      dependencies: [{ feature: 'parent' }],
      environments: { production: { enabled: true, activeUntil: UNTIL, strategies: everyone } },
    }),
    aFlag(`${home}/ramped`, {
      environments: {
        production: {
          enabled: true,
          strategies: {
            slowly: {
              name: 'flexibleRollout',
              parameters: { rollout: 5, groupId: 'ramped', stickiness: 'default' },
              ramp: { steps: [{ rollout: 25, for: '48h' }, { rollout: 100 }] },
            },
          },
        },
      },
    }),
    aFlag(`${home}/matched`, {
      environments: {
        production: {
          enabled: true,
          strategies: {
            staff: {
              name: 'default',
              segments: ['staff'],
              constraints: [{ contextName: 'email', operator: 'REGEX', value: '^[a-z]+@example\\.com$' }],
            },
          },
        },
      },
    }),
    aSegment(`${home}/staff`, { constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }] }),
  ];
}
