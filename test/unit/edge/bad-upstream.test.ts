/** Upstreams that answer wrongly, fail or come back: the edge keeps its last good state, and names no secret. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { documentOf, type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
const patience = { everyMs: 20 };
let upstream: ScriptedUpstream;
let edge: RunningEdge;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one', 'two');
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN });
  await untilNames('one,two');
});
afterEach(async () => {
  await edge.stop();
  await upstream.stop();
});

const ask = (token = TOKEN) => fetch(`${edge.url}/api/client/features`, { headers: { authorization: token } });

async function names(): Promise<string> {
  const { features } = (await (await ask()).json()) as { features?: { name: string }[] };
  return `${features?.map(({ name }) => name)}`;
}

async function untilNames(wanted: string): Promise<void> {
  await waitUntil({ what: `the edge serves ${wanted}`, ...patience }, async () => (await names()) === wanted);
}

/** Resolves when the upstream has been asked this number of times more. */
async function untilAskedAgain(times = 2): Promise<void> {
  const from = upstream.asked();
  await waitUntil({ what: 'the edge asks again', ...patience }, async () => upstream.asked() >= from + times);
}

const whole = JSON.stringify(documentOf('other'));
const odd: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a page of HTML': (response) => void response.setHeader('Content-Type', 'text/html').end('<!doctype html><p>Hello'),
  'half a document': (response) => void response.end(whole.slice(0, whole.length / 2)),
  'an answer that breaks off': (response) => {
    response.writeHead(200, { 'Content-Length': whole.length });
    response.write(whole.slice(0, 10), () => response.destroy());
  },
  'a flag without a name': (response) => void response.end('{"version":2,"features":[{"enabled":true}]}'),
  'a flag that is there twice': (response) => void response.end(JSON.stringify(documentOf('a', 'a'))),
  'a list in place of a document': (response) => void response.end('[]'),
  'a redirect to another host': (response) => void response.writeHead(302, { Location: 'http://127.0.0.2:1/' }).end(),
  'an error of a server': (response) => void response.writeHead(500).end(whole),
  'a refusal of a token that it knows': (response) => void response.writeHead(403).end(whole),
  'headers without end': (response) => void response.writeHead(200, { 'X-Long': 'x'.repeat(100_000) }).end(whole),
  'text that is not compressed as it says': (response) =>
    void response.setHeader('Content-Encoding', 'gzip').end(whole),
  'no flags, once': (response) => {
    response.end(JSON.stringify(documentOf()));
    upstream.serve('one', 'two');
  },
};

test.each(Object.entries(odd))('%s changes nothing, and a good answer ends it', async (_, answer) => {
  upstream.answer((_request, response) => answer(response));
  await untilAskedAgain();
  expect(await names()).toBe('one,two');
  expect((await fetch(`${edge.url}/ready`)).status).toBe(200);
  upstream.serve('three');
  await untilNames('three');
  const reasons = edge.log.filter(
    ({ level, msg }) => level === 'warn' && `${msg}`.startsWith('upstream: cannot be read'),
  );
  expect(reasons.length).toBe(1);
  expect(JSON.stringify(edge.log)).not.toContain('0123456789abcdef');
});

test('no flags at all are believed when a second answer has none either', async () => {
  upstream.answer((_request, response) => response.end(JSON.stringify(documentOf())));
  await untilNames('');
});

test('a token that the upstream no longer knows stops working, and its flags are gone', async () => {
  upstream.tokens.clear();
  upstream.answer((_request, response) => void response.writeHead(401).end());
  await waitUntil({ what: 'the token is refused', ...patience }, async () => (await ask()).status === 401);
});

test('while the upstream is away, known tokens work, and unknown ones get an answer that does not end SDKs', async () => {
  await upstream.stop();
  await waitUntil({ what: 'the edge notices', ...patience }, async () =>
    edge.log.some(({ reason }) => `${reason}`.includes('cannot be reached')),
  );
  expect(await names()).toBe('one,two');
  const unknown = await ask('*:production.another-token-value');
  expect([unknown.status, unknown.headers.has('retry-after')]).toEqual([503, true]);
  await upstream.restart();
  upstream.serve('four');
  await untilNames('four');
  const back = edge.log.filter(({ msg }) => msg === 'upstream: is read again');
  expect(back.length).toBe(1);
});

test.each([429, 503])('an upstream that answers %s is asked again after the time that it names', async (status) => {
  const asked: number[] = [];
  upstream.answer((_request, response) => {
    asked.push(performance.now());
    response.writeHead(status, { 'Retry-After': '2' }).end();
  });
  await waitUntil({ what: 'two questions', ...patience }, async () => asked.length >= 2);
  const [first = 0, second = 0] = asked;
  // Timers may be early by a millisecond. Without the header, the pause is half a second.
  expect(second - first).toBeGreaterThan(1_990);
  upstream.serve('later');
  await untilNames('later');
});

test('a wrong token is refused, and asked about once', async () => {
  const wrong = '*:production.wrong-token-value';
  expect([(await ask(wrong)).status, (await ask(wrong)).status]).toEqual([401, 401]);
  upstream.tokens.add(wrong);
  expect((await ask(wrong)).status).toBe(401);
});

test('changes make no larger state than one answer may', async () => {
  const feature = (name: string, length: number) => ({
    ...documentOf(name).features[0],
    description: 'x'.repeat(length),
  });
  let sent = 0;
  const event = (content: object) => `id: 1\nevent: unleash-updated\ndata: ${JSON.stringify(content)}\n\n`;
  const hydration = { type: 'hydration', eventId: 1, features: [feature('first', 1)], segments: [] };
  upstream.stream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event({ events: [hydration] }));
    const next = (): void => {
      if (response.destroyed || sent >= 40) return;
      sent += 1;
      const changed = { type: 'feature-updated', eventId: sent + 1, feature: feature(`flag-${sent}`, 4_000_000) };
      response.write(event({ events: [changed] }), next);
    };
    next();
  });
  // The present one polls, as its upstream had no stream.
  await edge.stop();
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN });
  await waitUntil({ what: 'the changes are refused', everyMs: 50 }, async () =>
    edge.log.some(({ reason }) => `${reason}`.endsWith('make flags of more than 67108864 characters')),
  );
  // The state is read anew, as a whole.
  await untilNames('first');
});
