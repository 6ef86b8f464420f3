/**
 * The limits of streams of one token and of one address: without a trusted proxy, all readers may have the same
 * address.
 */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';

const NONE = Number.POSITIVE_INFINITY;

test.each([
  [{}, NONE],
  [{ VEXIL_TRUST_PROXY: '0' }, NONE],
  [{ VEXIL_TRUST_PROXY: '1' }, 250],
  [{ VEXIL_TRUST_PROXY: '10.0.0.0/8' }, 250],
  [{ VEXIL_SDK_STREAMS_PER_ADDRESS: '5' }, 5],
  [{ VEXIL_TRUST_PROXY: '1', VEXIL_SDK_STREAMS_PER_ADDRESS: 'off' }, NONE],
])('with %j the limit of an address is %d', (environment, limit) => {
  expect(loadConfig(environment).http.sdkStreamsPerAddress).toBe(limit);
});

test.each([
  [{}, 2500],
  [{ VEXIL_SDK_STREAM_LIMIT: '3' }, 2],
  [{ VEXIL_SDK_STREAM_LIMIT: '0' }, 0],
  [{ VEXIL_SDK_STREAM_LIMIT: '3', VEXIL_SDK_STREAMS_PER_TOKEN: '3' }, 3],
  [{ VEXIL_SDK_STREAMS_PER_TOKEN: 'off' }, NONE],
])('with %j the limit of a token is %d', (environment, limit) => {
  expect(loadConfig(environment).http.sdkStreamsPerToken).toBe(limit);
});
