/** The limit of event streams of one address: without a trusted proxy, all readers may have the same one. */
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
])('with %j it is %d', (environment, limit) => {
  expect(loadConfig(environment).http.sdkStreamsPerAddress).toBe(limit);
});
