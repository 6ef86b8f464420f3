/** The objects that the good calls of the table use. */
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import {
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
} from '../../support/builders.ts';
import type { Instance } from '../../support/instance.ts';
import { endpoints, segmentIdOf } from './endpoints.ts';

export const ramped = {
  name: 'flexibleRollout',
  ramp: { startAt: '2026-01-01T00:00:00Z', steps: [{ rollout: 5, for: '24h' }, { rollout: 100 }] },
};

/**
 * Applies the objects that every good call finds: a flag with strategies and a variant, a strategy type, an API token.
 */
export async function prepare({ home, apply }: Instance): Promise<void> {
  const spec: FlagSpec = {
    environments: { production: { strategies: { one: { name: 'default' }, two: { name: 'default' } } } },
    variants: [{ name: 'blue' }],
    tags: ['simple:present'],
  };
  await apply(
    anEnvironment(`${home}/elsewhere`, { enabled: false }),
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3 }),
    aProject(`${home}/shop`, {
      environments: ['development', 'production'],
      members: { ada: 'owner', lin: 'member' },
    }),
    aProject(`${home}/empty`),
    aFlag(`${home}/for-reads`, spec),
    aFlag(`${home}/bulk`, spec),
    aFlag(`${home}/bulk-stowed`, { ...spec, archived: true }),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('strategyName'))
      .map(({ flag }) => aStrategyType(`${home}/${flag}`)),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('tokenName'))
      .map(({ flag }) => aToken(`${home}/${flag}`)),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('segmentId'))
      .map(({ flag }) => aSegment(`${home}/${flag}`, { id: segmentIdOf(flag) })),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('id'))
      .map(({ flag }) =>
        aChangeRequest(`${home}/change-${flag}`, flag, {
          environments: { development: {} },
          variants: [{ name: 'green' }],
        }),
      ),
    ...endpoints
      .filter(({ isRead }) => !isRead)
      .map(({ flag, route, archived = false }) => {
        // A flag that a call switches off is on before.
        const production = {
          ...spec.environments?.['production'],
          ...(/\/off$|\/alerts$/.test(route) && { enabled: true }),
          ...(route.endsWith('/ramp') && { strategies: { one: ramped } }),
        };
        return aFlag(`${home}/${flag}`, {
          ...spec,
          environments: { production },
          archived,
          dependencies: [{ feature: 'for-reads' }],
        });
      }),
  );
}
