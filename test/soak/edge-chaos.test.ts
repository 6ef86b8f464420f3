/**
 * An edge under load, with two upstreams that are killed, paused, slow and switched, and that lie. No read fails, each
 * answer is one whole state of one upstream, and in the end it is the right one.
 */

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeptClient, keptClient } from '../perf/kept-client.ts';
import { footprintOf } from '../perf/scale/footprint.ts';
import { freePorts } from '../support/control-plane/ports.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type EdgeProgram, startEdgeProgram } from '../support/edge-program.ts';
import { documentOf, type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
const FLAGS = 50;
const READERS = 8;
const BODY_BYTES = 300 * 1024 * 1024;
/** `AWAY_SECONDS=600` keeps the upstreams away for ten minutes. */
const AWAY_MS = Number(process.env['AWAY_SECONDS'] ?? 5) * 1000;

let folder: string;
/** Streams its flags; a process that can be killed and paused. */
let streaming: EdgeProgram;
let streamingPort: number;
/** Is polled, and answers as the test says. */
let scripted: ScriptedUpstream;
let edge: EdgeProgram;
let watcher: KeptClient;
const clients: KeptClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-chaos-'));
  [streamingPort = 0] = await freePorts(1);
  scripted = await startScriptedUpstream();
  scripted.tokens.add(TOKEN);
  await writeState('first');
  await startStreaming();
  edge = await startEdgeProgram({
    UPSTREAM_URL: `http://127.0.0.1:${streamingPort},${scripted.url}`,
    ...{ TOKENS: TOKEN, FEATURES_REFRESH_INTERVAL_SECONDS: '1', BACKUP_FOLDER: join(folder, 'backup') },
  });
  watcher = newClient();
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const program of [edge, streaming]) await program.end('SIGKILL');
  await scripted.stop();
  await rm(folder, { recursive: true });
});

function newClient(): KeptClient {
  const client = keptClient({ url: edge.url, headers: { Authorization: TOKEN } });
  clients.push(client);
  return client;
}

const namesOf = (state: string) => Array.from({ length: FLAGS }, (_, number) => `${state}-${number}`);

/** As a state of the streaming upstream. */
async function writeState(state: string): Promise<void> {
  const path = join(folder, 'flags.json');
  await writeFile(`${path}.new`, JSON.stringify(documentOf(...namesOf(state))));
  await rename(`${path}.new`, path);
}

async function startStreaming(): Promise<void> {
  const settings = { BOOTSTRAP_FILE: join(folder, 'flags.json'), TOKENS: TOKEN, PORT: `${streamingPort}` };
  streaming = await startEdgeProgram(settings);
}

/** The state of an answer; throws unless it is one whole state. */
function stateOf(bytes: Buffer): string {
  const { features } = JSON.parse(bytes.toString()) as { features: { name: string }[] };
  const states = new Set(features.map(({ name }) => name.replace(/-\d+$/, '')));
  const [state = ''] = states;
  if (states.size !== 1 || features.length !== FLAGS)
    throw new Error(`mixed: ${[...states]}, ${features.length} flags`);
  return state;
}

/** Reads without a pause until it is stopped. */
function startReaders() {
  const seen = new Map<string, number>();
  const failures: unknown[] = [];
  let isEnding = false;
  const read = async (client: KeptClient): Promise<void> => {
    const { bytes } = await client.call({ method: 'GET', path: '/api/client/features' });
    const state = stateOf(bytes);
    seen.set(state, (seen.get(state) ?? 0) + 1);
    await client.call({ method: 'POST', path: '/ofrep/v1/evaluate/flags', body: { context: { targetingKey: 'a' } } });
  };
  const readers = Array.from({ length: READERS }, async () => {
    const client = newClient();
    while (!isEnding) await read(client).catch((error: unknown) => failures.push(error));
  });
  return {
    seen,
    failures,
    async stop() {
      isEnding = true;
      await Promise.all(readers);
    },
  };
}

type Lie = (response: ServerResponse) => void;

const whole = JSON.stringify(documentOf(...namesOf('never')));
const lies: Readonly<Record<string, Lie>> = {
  'a page of HTML': (response) => void response.setHeader('Content-Type', 'text/html').end('<!doctype html><p>Hello'),
  'half a document': (response) => void response.end(whole.slice(0, whole.length / 2)),
  'an answer that breaks off': (response) => {
    response.writeHead(200, { 'Content-Length': whole.length });
    response.write(whole.slice(0, 100), () => response.destroy());
  },
  'no flags': (response) => void response.end(JSON.stringify(documentOf())),
  'a redirect': (response) => void response.writeHead(302, { Location: 'http://127.0.0.2:1/' }).end(),
  'a body of 300 MB': (response) => {
    const piece = Buffer.alloc(1024 * 1024, ' ');
    let left = BODY_BYTES / piece.length;
    const send = () => {
      for (left -= 1; left > 0 && response.write(piece); left -= 1);
      if (left > 0) response.once('drain', send);
      else response.end(whole);
    };
    send();
  },
};

const until = (what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = 20_000) =>
  waitUntil({ what, everyMs: 20, timeoutMs }, async () => isSo());

async function state(): Promise<string | undefined> {
  const answer = await watcher.call({ method: 'GET', path: '/api/client/features' }).catch(() => undefined);
  return answer && stateOf(answer.bytes);
}

const untilState = (wanted: string, timeoutMs?: number) =>
  until(`the edge serves ${wanted}`, async () => (await state()) === wanted, timeoutMs);

test('no read fails, and the state is right at the end', async () => {
  await untilState('first');
  const { seen, failures, stop } = startReaders();

  scripted.serve(...namesOf('after-the-kill'));
  await streaming.end('SIGKILL');
  await untilState('after-the-kill');

  for (const [lie, answer] of Object.entries(lies)) {
    let isLying = false;
    scripted.answer((_request, response) => {
      // The edge believes that there are no flags if it hears so twice.
      scripted.serve(...namesOf(`after ${lie}`));
      isLying = true;
      answer(response);
    });
    await until(`the upstream answers with ${lie}`, () => isLying);
    await untilState(`after ${lie}`);
  }

  await writeState('switched');
  await startStreaming();
  await scripted.stop();
  await untilState('switched');

  streaming.pause();
  const before = seen.get('switched') ?? 0;
  await until('many reads while the upstream is paused', () => (seen.get('switched') ?? 0) > before + 1_000);
  streaming.resume();
  await writeState('after-the-pause');
  await untilState('after-the-pause');

  await scripted.restart();
  scripted.answer((_request, response) => dripDocument(response, JSON.stringify(documentOf(...namesOf('slow')))));
  await streaming.end('SIGKILL');
  await untilState('slow');
  scripted.serve(...namesOf('last'));
  await untilState('last');

  await stop();
  const reads = [...seen.values()].reduce((sum, one) => sum + one, 0);
  const { peakMb } = await footprintOf(edge.pid);
  process.stderr.write(`${reads} reads, ${Math.round(peakMb)} MiB at most\n`);
  expect(failures).toEqual([]);
  const expected = ['after-the-kill', ...Object.keys(lies).map((lie) => `after ${lie}`), 'switched', 'after-the-pause'];
  expect([...seen.keys()]).toEqual(['first', ...expected, 'slow', 'last']);
  expect(peakMb).toBeLessThan(400);
}, 120_000);

test(
  'no read fails while both upstreams are away',
  async () => {
    await streaming.end('SIGKILL');
    scripted.serve(...namesOf('before'));
    await untilState('before');
    const { seen, failures, stop } = startReaders();
    const backAt = performance.now() + AWAY_MS;
    await scripted.stop();
    await until('the upstreams were away for the time', () => performance.now() > backAt, AWAY_MS + 20_000);
    const reads = seen.get('before') ?? 0;
    scripted.serve(...namesOf('back'));
    await scripted.restart();
    // The longest pause between two attempts is 30 seconds.
    await untilState('back', 40_000);
    await stop();
    process.stderr.write(`${reads} reads in ${AWAY_MS / 1000} s without an upstream\n`);
    expect(failures).toEqual([]);
    expect([...seen.keys()]).toEqual(['before', 'back']);
    expect(reads).toBeGreaterThan(10 * READERS);
  },
  AWAY_MS + 90_000,
);

/** Sends the document in pieces that take some seconds. */
function dripDocument(response: ServerResponse, text: string): void {
  const size = Math.ceil(text.length / 20);
  let at = 0;
  const sending = setInterval(() => {
    response.write(text.slice(at, at + size));
    at += size;
    if (at < text.length) return;
    clearInterval(sending);
    response.end();
  }, 100);
}
