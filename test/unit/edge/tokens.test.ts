/** Scopes at the edge: frontend tokens are covered by client tokens, and one subscription serves all that it covers. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const SECRET = '0123456789abcdef0123456789';
const [ALL, A, B] = ['*', 'a', 'b'].map((project) => `${project}:production.${SECRET}`) as [string, string, string];
let upstream: ScriptedUpstream;
let edge: RunningEdge;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.answer(({ headers }, response) => {
    const asked = headers.authorization?.split(':')[0];
    const features = ['a', 'b']
      .filter((project) => asked === '*' || asked === project)
      .map((project) => ({ name: `of-${project}`, project, enabled: true, strategies: [] }));
    response.end(JSON.stringify({ features }));
  });
});
afterEach(async () => {
  await edge.stop();
  await upstream.stop();
});

async function start(...tokens: readonly string[]): Promise<void> {
  for (const token of tokens) upstream.tokens.add(token);
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: tokens.join(','), STRICT: 'true' });
  await waitUntil(
    { what: 'the edge is ready', everyMs: 10 },
    async () => (await fetch(`${edge.url}/ready`)).status === 200,
  );
}

async function toggles(token: string): Promise<string> {
  const answer = await fetch(`${edge.url}/api/frontend`, { headers: { authorization: token } });
  if (answer.status !== 200) return `${answer.status}`;
  const { toggles: found } = (await answer.json()) as { toggles: { name: string }[] };
  return found.map(({ name }) => name).join(',');
}

const frontend = (project: string) => `${project}:production.frontend-${SECRET}`;

test('a wide token covers narrow ones: the upstream is asked for one scope', async () => {
  await start(A, ALL, frontend('b'));
  const subscriptions = new Set(upstream.askedBy());
  expect([...subscriptions]).toEqual([ALL]);
  expect(await toggles(frontend('b'))).toBe('of-b');
});

test('a strict edge refuses a token that was not given, also one that the upstream knows', async () => {
  await start(ALL);
  upstream.tokens.add(frontend('a'));
  expect([await toggles(frontend('a')), await toggles(ALL)]).toEqual(['401', '403']);
});

test('narrow tokens cover a frontend token together, and a frontend token without a client token has no flags', async () => {
  await start(A, B, frontend('a+b'), frontend('c'));
  expect(await toggles(frontend('a+b'))).toBe('of-a,of-b');
  expect(await toggles(frontend('c'))).toBe('503');
});

test('while a wider scope is on its way, the flags of a narrow one stay', async () => {
  await start(A);
  await edge.stop();
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: A });
  const names = async () => {
    const { features = [] } = (await (
      await fetch(`${edge.url}/api/client/features`, { headers: { authorization: A } })
    ).json()) as {
      features?: { name: string }[];
    };
    return features.map(({ name }) => name).join(',');
  };
  await waitUntil({ what: 'the flags are there', everyMs: 10 }, async () => (await names()) === 'of-a');
  const delayed: (() => void)[] = [];
  upstream.tokens.add(ALL);
  upstream.answer(({ headers }, response) => {
    const isWide = headers.authorization === ALL;
    const features = isWide ? ['of-a', 'of-b'] : ['of-a'];
    const send = () =>
      response.end(
        JSON.stringify({ features: features.map((name) => ({ name, project: name.slice(3), enabled: true })) }),
      );
    if (isWide) delayed.push(send);
    else send();
  });
  const wide = fetch(`${edge.url}/api/client/features`, { headers: { authorization: ALL } });
  await waitUntil({ what: 'the wide scope is asked for', everyMs: 10 }, async () => delayed.length > 0);
  expect(await names()).toBe('of-a');
  for (const send of delayed) send();
  expect((await wide).status).toBe(200);
  expect(await names()).toBe('of-a');
});

test('when a token is revoked, another one of its scope goes on', async () => {
  const second = `*:production.second-${SECRET}`;
  await start(ALL, second);
  const [first] = upstream.askedBy();
  const other = first === ALL ? second : ALL;
  upstream.tokens.delete(first ?? '');
  upstream.answer(({ headers }, response) => {
    if (headers.authorization === first) response.writeHead(401).end();
    else response.end(JSON.stringify({ features: [{ name: 'new', enabled: true, strategies: [] }] }));
  });
  await waitUntil({ what: 'the change arrives by the other token', everyMs: 10 }, async () => {
    const answer = await fetch(`${edge.url}/api/client/features`, { headers: { authorization: other } });
    return (await answer.text()).includes('"new"');
  });
});

test('a given token that the upstream does not know is named in the log once, without its value', async () => {
  await start(ALL);
  await edge.stop();
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: `${ALL},c:production.unknown-${SECRET}` });
  await waitUntil({ what: 'the token is named', everyMs: 10 }, async () =>
    edge.log.some(({ msg }) => msg === 'tokens: not known at the upstream'),
  );
  expect(JSON.stringify(edge.log)).not.toContain(SECRET);
});

test('an address that sends wrong tokens again and again is in the log, and the tokens are not', async () => {
  await start(A);
  for (let count = 0; count < 10; count += 1) expect(await toggles(`*:production.wrong-${count}`)).toMatch(/401|429/);
  const logged = edge.log.filter(({ msg }) => msg === 'authentication: repeated failures');
  expect(logged).toMatchObject([{ level: 'warn', address: '127.0.0.1', failures: 10 }]);
  expect(JSON.stringify(edge.log)).not.toContain('wrong-');
});

test('so is one that guesses while the upstream is away, and none that has a token', async () => {
  upstream.tokens.add(A);
  upstream.tokens.add(frontend('a'));
  const settings = { TOKENS: `${A},${frontend('a')}`, VEXIL_EDGE_TRUST_TOKENS_FOR: '0s' };
  edge = await startEdge({ UPSTREAM_URL: upstream.url, ...settings });
  await waitUntil(
    { what: 'the edge is ready', everyMs: 10 },
    async () => (await fetch(`${edge.url}/ready`)).status === 200,
  );
  await upstream.stop();
  for (let count = 0; count < 10; count += 1) expect(await toggles(frontend('a'))).toMatch(/503|429/);
  expect(edge.log.filter(({ msg }) => msg === 'authentication: repeated failures')).toEqual([]);
  for (let count = 0; count < 10; count += 1) expect(await toggles(`*:production.wrong-${count}`)).toMatch(/503|429/);
  const logged = edge.log.filter(({ msg }) => msg === 'authentication: repeated failures');
  expect(logged).toMatchObject([{ failures: 10 }]);
});

test('guesses that are validated while the upstream is away are in the log, too', async () => {
  await start(A);
  await edge.stop();
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: A });
  await waitUntil(
    { what: 'the edge is ready', everyMs: 10 },
    async () => (await fetch(`${edge.url}/ready`)).status === 200,
  );
  await upstream.stop();
  const tokens = [A, ...Array.from({ length: 10 }, (_, count) => `*:production.wrong-${count}`)];
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${edge.url}/edge/validate`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ tokens }),
  });
  expect(answer.status).toBe(503);
  const logged = edge.log.filter(({ msg }) => msg === 'authentication: repeated failures');
  expect(logged).toMatchObject([{ failures: 10 }]);
});
