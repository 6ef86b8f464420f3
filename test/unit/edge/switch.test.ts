/** Several upstreams: the next one is used when one fails, and the state is what it says, as a whole. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstreams: readonly ScriptedUpstream[];
let edge: RunningEdge;

beforeEach(async () => {
  upstreams = await Promise.all([startScriptedUpstream(), startScriptedUpstream()]);
  for (const one of upstreams) one.tokens.add(TOKEN);
  upstreams[0]?.serve('shared', 'only-first');
  upstreams[1]?.serve('shared', 'only-second');
  edge = await startEdge({
    UPSTREAM_URL: upstreams.map(({ url }) => url).join(','),
    TOKENS: TOKEN,
  });
});
afterEach(async () => {
  await edge.stop();
  for (const one of upstreams) await one.stop();
});

async function names(): Promise<readonly string[]> {
  const answer = await fetch(`${edge.url}/api/client/features`, { headers: { authorization: TOKEN } });
  const { features = [] } = (await answer.json()) as { features?: { name: string }[] };
  return features.map(({ name }) => name);
}

test('within two seconds, and back, without a mixture of both', async () => {
  const seen = new Set<string>();
  const until = async (wanted: string) => {
    await waitUntil({ what: `the edge serves ${wanted}`, everyMs: 5 }, async () => {
      const found = `${await names()}`;
      seen.add(found);
      return found === wanted;
    });
  };
  await until('only-first,shared');
  const began = performance.now();
  await upstreams[0]?.stop();
  await until('only-second,shared');
  expect(performance.now() - began).toBeLessThan(2_000);
  await upstreams[0]?.restart();
  await upstreams[1]?.stop();
  await until('only-first,shared');
  expect([...seen].sort()).toEqual(['only-first,shared', 'only-second,shared']);
});

test('the first upstream is away when the edge starts', async () => {
  await edge.stop();
  await upstreams[0]?.stop();
  const urls = upstreams.map(({ url }) => url).join(',');
  edge = await startEdge({ UPSTREAM_URL: urls, TOKENS: TOKEN });
  await waitUntil({ what: 'the flags of the second one', everyMs: 5, timeoutMs: 5_000 }, async () =>
    (await names()).includes('only-second'),
  );
  await upstreams[0]?.restart();
});

test('while all are away, the log names each once', async () => {
  await waitUntil({ what: 'flags', everyMs: 5 }, async () => (await names()).includes('only-first'));
  for (const one of upstreams) await one.stop();
  const left = () => edge.log.filter(({ msg }) => msg === 'upstream: failed, the next one is used');
  await waitUntil({ what: 'each was tried several times', everyMs: 20 }, async () => left().length >= 6);
  expect(left().filter(({ level }) => level === 'warn').length).toBe(2);
  for (const one of upstreams) await one.restart();
});

test('a second scope, whose request the first upstream does not answer, goes along', async () => {
  const tokens = ['a', 'b'].map((project) => TOKEN.replace('*', project));
  const [first, second] = upstreams;
  const answer = ({ headers }: IncomingMessage, response: ServerResponse) => {
    const project = headers.authorization?.split(':')[0];
    const features = [{ name: `of-${project}`, project, enabled: true, strategies: [] }];
    response.end(JSON.stringify({ features }));
  };
  for (const upstream of upstreams) {
    for (const token of tokens) upstream.tokens.add(token);
    upstream.answer(answer);
  }
  const both = await startEdge({ UPSTREAM_URL: upstreams.map(({ url }) => url).join(','), TOKENS: tokens.join(',') });
  const namesFor = async (token = '') =>
    (await fetch(`${both.url}/api/client/features`, { headers: { authorization: token } })).text();
  const until = (what: string, isSo: () => Promise<boolean> | boolean) =>
    waitUntil({ what, everyMs: 10 }, async () => isSo());
  await until(
    'both scopes are served',
    async () => (await namesFor(tokens[0])).includes('of-a') && (await namesFor(tokens[1])).includes('of-b'),
  );
  const from = second?.askedBy().length;
  let hanging = 0;
  first?.answer((request, response) => {
    if (request.headers.authorization === tokens[1]) hanging += 1;
    else if (hanging > 0) response.writeHead(500).end();
    else answer(request, response);
  });
  await until('the second upstream is asked for both', () => {
    const askedBy = second?.askedBy().slice(from) ?? [];
    return tokens.every((token) => askedBy.includes(token));
  });
  expect(hanging).toBeGreaterThan(0);
  expect(await namesFor(tokens[1])).toContain('of-b');
  await both.stop();
});
