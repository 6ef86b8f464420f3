/** The endpoints about windows and ramps. */
import { pointInTime } from './flag-values.ts';
import type { Rows } from './row.ts';
import * as value from './values.ts';

const INVALID = '400 ValidationError';

const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;
const on = '/projects/shop/features/held/environments/production';

export const rolloutRows: Rows = {
  [`PUT ${PLACE}/window`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { activeFrom: '2026-01-01T00:00:00Z', activeUntil: '2999-01-01T01:00:00+01:00' },
    properties: {
      activeFrom: [
        ...value.nullable,
        ...pointInTime,
        ['the time of the end', '"2999-01-01T00:00:00Z"', INVALID],
        ['a fraction of a second', '"2026-01-01T00:00:00.123Z"', 'good'],
      ],
      activeUntil: [...value.nullable, ...pointInTime, ['a time before the start', '"2025-01-01T00:00:00Z"', INVALID]],
    },
    strict: true,
    versions: [`GET ${FLAG}`],
    owned: {
      path: `${on}/window`,
      body: { activeFrom: '2021-01-01T00:00:00Z' },
      ownedField: 'spec.environments.production.activeFrom',
    },
  },
  [`POST ${PLACE}/copy`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    alsoNeeds: [
      ...(['CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
      ...(['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] as const),
    ],
    kubectl: ['patch featureflags FLAG'],
    body: { from: 'SOURCE' },
    properties: {
      from: [
        ...value.required,
        ['an environment that is not there', '"nowhere"', '404 NotFoundError'],
        ['itself', '"production"', INVALID],
      ],
    },
    strict: true,
    versions: [`GET ${PLACE}`, `GET ${FLAG}`],
    owned: { path: `${on}/copy`, body: { from: 'development' }, ownedField: 'spec.environments.production.activeFrom' },
  },
  [`POST ${PLACE}/strategies/:strategyId/ramp`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { action: 'skip', step: 2 },
    properties: {
      action: [...value.required, ...value.word('skip'), ['one without a step', '"pause"', INVALID]],
      step: [
        ...value.required,
        ['one of two steps', '1', 'good'],
        ['a step that there is not', '3', INVALID],
        ['0', '0', INVALID],
        ['half a step', '1.5', INVALID],
        ['a number in text', '"1"', INVALID],
        ['a list', '[1]', INVALID],
      ],
    },
    strict: true,
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies/:strategyId`],
    owned: {
      path: `${on}/strategies/rising/ramp`,
      body: { action: 'skip', step: 2 },
      ownedField: 'spec.environments.production.strategies.rising.ramp.startAt',
    },
  },
};
