/** `vexil edge check` says what would be served and from where, and what is wrong. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEdge } from '../../../src/edge/check.ts';
import { readEdgeSettings } from '../../../src/edge/settings.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one', 'two');
});
afterEach(() => upstream.stop());

const check = (urls: string, tokens: string) =>
  checkEdge(readEdgeSettings({ upstreamUrl: urls, tokens }, {}), { version: 'test', environment: {} });

test('each upstream with its tokens', async () => {
  expect(await check(upstream.url, TOKEN)).toEqual({
    isGood: true,
    text: `${upstream.url}\n  client token: production, all projects: 2 flags, 2 of them on\n`,
  });
});

test('an upstream that is away, and a token that is not known, without its value', async () => {
  const { isGood, text } = await check(
    `${upstream.url},http://127.0.0.1:1`,
    `${TOKEN},*:production.secret-of-a-person`,
  );
  expect(isGood).toBe(false);
  expect(text).toContain('1 of 2 tokens: not known there, or not for SDKs');
  expect(text).toMatch(/^http:\/\/127\.0\.0\.1:1\n {2}cannot be read: .*cannot be reached/m);
  expect(text).not.toMatch(/secret-of|0123456789/);
});
