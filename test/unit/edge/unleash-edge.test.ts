/** What is there for users of Unleash Edge: probes that run a command, and the former path of browsers. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { probeEdge } from '../../../src/edge/probe.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
const FRONTEND = '*:production.frontend-0123456789abcdef';
let upstream: ScriptedUpstream;
let edge: RunningEdge;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  for (const token of [TOKEN, FRONTEND]) upstream.tokens.add(token);
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: `${TOKEN},${FRONTEND}`, BASE_PATH: '/flags' });
});
afterEach(async () => {
  await edge.stop();
  await upstream.stop();
});

test('health and ready ask the edge beside them', async () => {
  const { port } = new URL(edge.url);
  const here = { PORT: port, BASE_PATH: '/flags' };
  const probe = (name: 'health' | 'ready', environment: object = here) => probeEdge(name, {}, { ...environment });
  expect([await probe('health'), (await probe('ready')).isGood]).toEqual([{ text: 'OK\n', isGood: true }, false]);
  upstream.serve('one');
  await waitUntil({ what: 'the edge is ready', everyMs: 20 }, async () => (await probe('ready')).isGood);
  expect(await probe('health', { EDGE_URL: 'http://127.0.0.1:1' })).toMatchObject({ isGood: false });
});

test('browsers may use /api/proxy', async () => {
  upstream.serve('one');
  const ask = (path: string) => fetch(`${edge.url}${path}`, { headers: { Authorization: FRONTEND } });
  await waitUntil({ what: 'flags', everyMs: 20 }, async () => (await ask('/flags/api/frontend')).ok);
  const answer = await ask('/flags/api/proxy?userId=7');
  expect([answer.status, await answer.text()]).toEqual([200, await (await ask('/flags/api/frontend?userId=7')).text()]);
  expect((await ask('/flags/api/proxyless')).status).toBe(404);
});
