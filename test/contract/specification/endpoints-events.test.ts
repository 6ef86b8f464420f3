/**
 * Chapter "Endpoints", events: row 20 with its parameters and limits, and the other statements of the specification
 * about events.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RecordingInstance, startRecordingInstance } from '../../support/recording-instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: RecordingInstance;

beforeAll(async () => {
  instance = await startRecordingInstance('endpoints-events');
  await instance.report(
    {
      type: 'feature-created',
      project: 'recorded',
      featureName: 'one',
      createdByUserId: 7,
      createdAt: Date.UTC(2026, 0, 1),
      data: { name: 'one', description: 'The first' },
    },
    {
      type: 'feature-strategy-add',
      project: 'recorded',
      featureName: 'two',
      environment: 'production',
      createdByUserId: 8,
      createdAt: Date.UTC(2026, 0, 2),
      data: { name: 'default' },
    },
    ...Array.from({ length: 1001 }, (_, n) => ({ project: 'crowd', featureName: 'three', createdAt: n })),
  );
});
afterAll(() => instance.stop());

const search = async (query: Readonly<Record<string, string>>) =>
  (await instance.call(`GET /search/events?${new URLSearchParams(query)}`)).body;
const found = async (query: Readonly<Record<string, string>>) =>
  (await search({ project: 'IS:recorded', ...query })).events.map(({ featureName }: Stored) => featureName);

describe('20. GET /search/events', () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['none of the parameters is required', {}, ['two', 'one']],
    ['free-text query, matched against the event data payload', { query: 'first' }, ['one']],
    ['filter by feature name, IS', { feature: 'IS:one' }, ['one']],
    ['filter by feature name, IS_ANY_OF', { feature: 'IS_ANY_OF:one,two' }, ['two', 'one']],
    ['filter by project id', { project: 'IS:crowd,no-such', limit: '1' }, ['three']],
    ['filter by event type', { type: 'IS:feature-created' }, ['one']],
    ['filter by creator id', { createdBy: 'IS:8' }, ['two']],
    ['start of creation date range', { from: 'IS:2026-01-02' }, ['two']],
    ['end of creation date range', { to: 'IS:2026-01-01' }, ['one']],
    ['offset: number to skip', { offset: '1' }, ['one']],
    ['limit: page size', { limit: '1' }, ['two']],
  ])('%s', async (_, query, want) => {
    expect(await found(query)).toEqual(want);
  });

  test('200: event search response, with events and total, the count of matching events', async () => {
    const { status, body } = await instance.call('GET /search/events?project=IS:recorded&limit=1');
    expect([status, Object.keys(body).toSorted(), body.events.length, body.total]).toEqual([
      200,
      ['events', 'total'],
      1,
      2,
    ]);
  });
});

test('Event: every field', async () => {
  const [event] = (await search({ feature: 'IS:one' })).events;
  expect(event).toEqual({
    id: expect.any(Number),
    createdAt: '2026-01-01T00:00:00.000Z',
    type: 'feature-created',
    createdBy: expect.any(String),
    createdByUserId: 7,
    environment: null,
    project: 'recorded',
    featureName: 'one',
    data: { name: 'one', description: 'The first' },
    preData: null,
    tags: [],
    label: 'Flag created',
    summary: expect.stringContaining('created **one** in project **recorded**'),
    ip: null,
    // Additions of Vexil.
    ...{ channel: null, fieldManager: null, reason: null },
  });
});

describe('Limit', () => {
  test('event search page size: default 50, maximum 1000', async () => {
    const length = async (limit?: string) =>
      (await search({ project: 'IS:crowd', ...(limit !== undefined && { limit }) })).events.length;
    expect([await length(), await length('1000'), await length('1001')]).toEqual([50, 1000, 50]);
  });

  test('event search offset: default 0', async () => {
    expect(await found({})).toEqual(await found({ offset: '0' }));
  });
});
