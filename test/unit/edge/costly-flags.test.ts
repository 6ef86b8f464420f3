/** Flags of an upstream that bounds no work, such as Unleash: one that takes too long is off, and others are not. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;
let edge: RunningEdge;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
});
afterEach(async () => {
  await edge.stop();
  await upstream.stop();
});

const matching = (...patterns: readonly string[]) => ({
  name: 'default',
  constraints: patterns.map((value) => ({ contextName: 'userId', operator: 'REGEX', value })),
});
const flag = (name: string, rest: object = {}) => ({ name, enabled: true, strategies: [], ...rest });

/** The names of the flags that are on. */
async function serve(...features: readonly object[]): Promise<readonly string[]> {
  upstream.answer((_, response) => void response.end(JSON.stringify({ features })));
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN });
  await waitUntil({ what: 'the edge is ready' }, async () => (await fetch(`${edge.url}/ready`)).status === 200);
  const answer = await fetch(`${edge.url}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { authorization: TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ context: { targetingKey: 'ann' } }),
  });
  const { flags } = (await answer.json()) as { flags: readonly { key: string; value: unknown }[] };
  return flags.flatMap(({ key, value }) => (value === true ? [key] : []));
}

test('patterns that take 20 seconds to compile are not compiled, and the log names the flag', async () => {
  const patterns = Array.from({ length: 200 }, (_, index) => matching(`(${'a'.repeat(38)}${index}){999}`));
  const everyone = { name: 'default' };
  expect(await serve(flag('costly', { strategies: [...patterns, everyone] }), flag('usual'))).toEqual(['usual']);
  expect(edge.log.filter(({ msg }) => `${msg}`.startsWith('flags: an evaluation takes too much work'))).toMatchObject([
    { flag: 'costly', project: 'default', allowed: 500_000 },
  ]);
});

test('the work of parents counts for the child', async () => {
  // A little more than half of the budget.
  const half = { strategies: [matching('^(?:ann|bob){0,40}$'), { name: 'default' }] };
  const on = await serve(
    flag('one', half),
    flag('other', half),
    flag('child-of-one', { dependencies: [{ feature: 'one' }] }),
    flag('child-of-both', { dependencies: [{ feature: 'one' }, { feature: 'other' }] }),
  );
  expect(on).toEqual(['child-of-one', 'one', 'other']);
});
