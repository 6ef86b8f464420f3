/** The write that undoes each event of a flag, and the endpoint that its user must be allowed to call. */
import { expect, test } from 'vitest';
import { putBackOf } from '../../../console/src/editor/history/put-back.ts';

type Event = Parameters<typeof putBackOf>[1];

const place = { projectId: 'shop', featureName: 'cart' };
const strategy = {
  id: 'one',
  name: 'default',
  title: null,
  parameters: {},
  constraints: [],
  variants: [],
  segments: [],
};
const FLAG = '/projects/{projectId}/features/{featureName}';
const HERE = `${FLAG}/environments/{environment}`;
const metadata = { type: 'release', description: null, stale: false, impressionData: false };
const tag = { type: 'simple', value: 'a' };

function event(type: string, preData: object | null, data: object | null): Event {
  return {
    ...{ id: 1, createdAt: '2026-01-01T00:00:00Z', createdBy: 'ada', createdByUserId: 1, ip: null, tags: [] },
    ...{ channel: null, fieldManager: null, reason: null },
    ...{ type, environment: 'production', project: 'shop', featureName: 'cart', label: type, summary: type },
    preData: preData && { ...preData },
    data: data && { ...data },
  };
}

test.each<[string, object | null, object | null, string]>([
  ['feature-metadata-updated', metadata, { ...metadata, stale: true }, `PUT ${FLAG}`],
  ['feature-variants-updated', { variants: [] }, { variants: [] }, `PUT ${FLAG}/variants`],
  ['feature-environment-variants-updated', { variants: [] }, { variants: [] }, `PUT ${HERE}/variants`],
  ['feature-window-updated', { activeFrom: '2026-01-01T00:00:00Z' }, {}, `PUT ${HERE}/window`],
  ['feature-tagged', null, tag, 'PUT /features/{featureName}/tags'],
  ['feature-untagged', tag, null, 'PUT /features/{featureName}/tags'],
  ['feature-dependency-added', null, { feature: 'parent', enabled: true }, `DELETE ${FLAG}/dependencies/{parent}`],
  ['feature-dependency-removed', { feature: 'parent', enabled: true }, null, `POST ${FLAG}/dependencies`],
  ['feature-strategy-add', null, strategy, `DELETE ${HERE}/strategies/{strategyId}`],
  ['feature-strategy-update', strategy, { ...strategy, title: 'b' }, `PUT ${HERE}/strategies/{strategyId}`],
  ['feature-strategy-remove', strategy, null, `POST ${HERE}/strategies`],
  ['strategy-order-changed', { strategyIds: ['a', 'b'] }, {}, `POST ${HERE}/strategies/set-sort-order`],
  ['feature-environment-enabled', null, null, `POST ${HERE}/off`],
  ['feature-environment-disabled', null, null, `POST ${HERE}/on`],
])('%s', (type, before, after, endpoint) => {
  expect(putBackOf(place, event(type, before, after))?.endpoint).toBe(endpoint);
});

test.each(['feature-created', 'feature-archived', 'feature-revived'])('%s has none', (type) => {
  expect(putBackOf(place, event(type, {}, {}))).toBeUndefined();
});

test('an event without the previous state has none', () => {
  expect(putBackOf(place, event('feature-metadata-updated', null, metadata))).toBeUndefined();
  expect(putBackOf(place, event('feature-strategy-remove', null, null))).toBeUndefined();
});
