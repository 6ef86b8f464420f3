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

test('narrow tokens cover a frontend token together, and a frontend token without a client token has no flags', async () => {
  await start(A, B, frontend('a+b'), frontend('c'));
  expect(await toggles(frontend('a+b'))).toBe('of-a,of-b');
  expect(await toggles(frontend('c'))).toBe('503');
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
