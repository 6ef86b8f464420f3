/** The limits of streams and connections: what is open stays open, and probes are answered. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream } from '../../support/event-stream.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;
let edge: RunningEdge;
const open: OpenedStream[] = [];

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one');
});
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await edge.stop();
  await upstream.stop();
});

async function start(limits: Readonly<Record<string, string>>, streams: number): Promise<void> {
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN, ...limits });
  for (let number = 0; number < streams; number += 1) {
    const stream = await openStream(edge.url, { token: TOKEN });
    open.push(stream);
    await stream.nth(1);
  }
}

/** Sends a request on a connection of its own. */
async function ask(path: string) {
  const agent = new Agent();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${edge.url}${path}`, { agent, headers: { authorization: TOKEN } }, resolve).once('error', reject);
  });
  const { statusCode: status, headers } = answer;
  if (status === 200 && path.endsWith('streaming')) answer.destroy();
  else await text(answer);
  agent.destroy();
  return { status, retryAfter: Number(headers['retry-after']), connection: headers.connection };
}

async function allStreamsGet(name: string): Promise<void> {
  upstream.serve('one', name);
  await Promise.all(
    open.map(async (stream) => {
      await waitUntil(
        { what: `the stream has ${name}` },
        async () => (await stream.nth(2)).data?.includes(name) === true,
      );
    }),
  );
}

test('beyond the limit of streams, 429; the streams that are open go on, and a place that is free is taken', async () => {
  await start({ VEXIL_EDGE_MAX_STREAMS: '2' }, 2);
  const refused = await ask('/api/client/streaming');
  expect([refused.status, refused.retryAfter]).toEqual([429, 60]);
  expect((await ask('/api/client/features')).status).toBe(200);
  await allStreamsGet('two');
  open.pop()?.close();
  await waitUntil({ what: 'a place is free' }, async () => (await ask('/api/client/streaming')).status === 200);
});

test('beyond the limit of connections, 503 and the end of the connection, but not for probes', async () => {
  await start({ VEXIL_EDGE_MAX_CONNECTIONS: '2' }, 2);
  const [first, second] = [await ask('/api/client/features'), await ask('/api/frontend')];
  expect([first.status, first.connection, second.status]).toEqual([503, 'close', 503]);
  expect(first.retryAfter).toBeGreaterThan(0);
  expect(second.retryAfter).not.toBe(first.retryAfter);
  for (const probe of ['/health', '/internal-backstage/ready', '/internal-backstage/metrics']) {
    expect((await ask(probe)).status, probe).toBe(200);
  }
  await allStreamsGet('two');
  open.pop()?.close();
  await waitUntil({ what: 'a place is free' }, async () => (await ask('/api/client/features')).status === 200);
});
