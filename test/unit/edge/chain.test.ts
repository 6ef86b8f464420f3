/** An edge behind an edge says when the first one was last known to be good, not when it has heard from it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;
const edges: RunningEdge[] = [];

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one');
});
afterEach(async () => {
  for (const edge of edges.splice(0).reverse()) await edge.stop();
  await upstream.stop();
});

/** Resolves when the edge has flags. */
async function start(url: string): Promise<RunningEdge> {
  const edge = await startEdge({ UPSTREAM_URL: url, TOKENS: TOKEN });
  edges.push(edge);
  await until('the edge has flags', async () => (await goodAt(edge)) > 0);
  return edge;
}

const until = (what: string, isSo: () => Promise<boolean> | boolean) =>
  waitUntil({ what, everyMs: 10 }, async () => isSo());

/** 0: the edge has no flags yet. */
async function goodAt({ url }: RunningEdge): Promise<number> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: TOKEN } });
  return answer.ok ? Date.parse(answer.headers.get('vexil-good-at') ?? '') : 0;
}

async function cutOff(hub: RunningEdge): Promise<void> {
  const before = hub.log.length;
  await upstream.stop();
  await until('the first edge is cut off', () =>
    hub.log.slice(before).some(({ msg }) => msg === 'upstream: cannot be read, the last good state stays'),
  );
}

test('while the first one is cut off, when it is back, and when it is cut off again', async () => {
  const hub = await start(upstream.url);
  await cutOff(hub);
  const site = await start(hub.url);
  expect(await goodAt(site)).toBe(await goodAt(hub));
  const cutAt = Date.now();
  await upstream.restart();
  await until('the time goes on', async () => (await goodAt(site)) > cutAt);
  await cutOff(hub);
  await until('both have the same time', async () => (await goodAt(site)) === (await goodAt(hub)));
});
