/** A world with nearly everything that a state document can contain. */
import { aFlag, anEnvironment, aProject, aSegment, aStrategyType, aToken } from './builders.ts';
import type { Instance } from './instance.ts';

const UUID = '3f2c1a7e-5b7d-4c1a-9a51-0c6f2a3b4c5d';

export async function applyRichWorld({ home, other, apply }: Instance): Promise<void> {
  await apply(
    anEnvironment(`${home}/staging`, { type: 'test', enabled: false, sortOrder: 3 }),
    aProject(`${home}/listed`, {
      displayName: 'Gelistet ✓',
      description: 'mit Umlauten äöü',
      environments: ['development', 'staging'],
    }),
    aStrategyType(`${home}/country`, {
      displayName: 'Country',
      description: 'by country',
      parameters: [
        { name: 'countries', type: 'list', required: true },
        { name: 'strict', type: 'boolean' },
      ],
    }),
    aStrategyType(`${home}/oldie`, { deprecated: true }),
    aToken(`${home}/keeper`),
    aSegment(`${home}/beta`, {
      name: 'Beta testers',
      description: 'who agreed ✓',
      constraints: [{ contextName: 'region', operator: 'IN', values: ['eu'] }],
    }),
    aFlag(`${home}/plain`),
    aFlag(`${home}/all-said`, {
      type: 'kill-switch',
      description: 'line one\nline two: "quoted" \u2028 🎉 on',
      stale: true,
      impressionData: true,
      lifetimeDays: 90,
      tags: ['simple:payments', 'team:größe', 'simple:yes'],
      variants: [
        { name: 'c' },
        {
          name: 'a',
          payload: { type: 'json', value: '{"x":1}' },
          overrides: [{ contextName: 'userId', values: ['7'] }],
        },
        { name: 'b', stickiness: 'userId' },
      ],
      environments: {
        development: {
          enabled: true,
          strategies: {
            'staff-first': {
              name: 'flexibleRollout',
              title: 'Staff ✓',
              parameters: { rollout: 25, groupId: 'all-said', stickiness: 'default', extra: { deep: [1, null, 'x'] } },
              constraints: [
                { contextName: 'userId', operator: 'IN', values: ['1', '2'], inverted: true },
                { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-31T12:00:00Z' },
                { contextName: 'appVersion', operator: 'SEMVER_GT', value: '1.2.3' },
                { contextName: 'region', operator: 'STR_CONTAINS', values: ['É'], caseInsensitive: true },
              ],
              segments: ['Beta testers'],
              variants: [{ name: 'x' }, { name: 'y', weightType: 'fix', weight: 250 }, { name: 'z' }, { name: 'w' }],
            },
            [UUID]: { name: 'country', parameters: { countries: 'SE,NO' }, sortOrder: 2 },
            aaa: { name: 'default', disabled: true, sortOrder: 1 },
          },
        },
        production: {
          strategies: {
            zz: { name: 'default' },
            yy: { name: 'userWithId', parameters: { userIds: 'a, b' }, sortOrder: 7 },
          },
          variants: [{ name: 'only-here', weightType: 'fix', weight: 100 }, { name: 'rest' }],
        },
      },
    }),
    aFlag(`${home}/in-listed`, {
      project: 'listed',
      name: 'In.Listed!',
      environments: {
        staging: {
          enabled: true,
          activeFrom: '2040-01-01T08:00:00+01:00',
          activeUntil: '2041-01-01T00:00:00Z',
          strategies: { one: { name: 'default' } },
          variants: [],
        },
        // The project of the flag does not use production.
        production: { enabled: true, strategies: { two: { name: 'default' } } },
        development: {},
      },
    }),
    aFlag(`${home}/held-off`, { environments: { development: { enabled: true } } }),
    aFlag(`${other}/far`, {
      project: 'pay',
      variants: [{ name: 'blue' }],
      environments: { production: { enabled: true, strategies: { one: { name: 'oldie' } } } },
    }),
    aFlag(`${home}/put-away`, { archived: true, description: 'in the archive' }),
  );
}
