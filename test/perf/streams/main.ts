/**
 * Measures streams of SDKs: the delay of a change, many readers, a flood of changes: `node test/perf/streams/main.ts`.
 */
import { parseArgs } from 'node:util';
import type { Unleash } from 'unleash-client';
import { pause } from '../../../src/model/clock.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openStream, type ReceivedEvent } from '../../support/event-stream.ts';
import { endSdk, nextEvent, startSdk } from '../../support/sdk-world.ts';
import { whileChanging } from '../changes.ts';
import { startProgram } from '../child-program.ts';
import { descriptionOf, flagName, pathOf, SDK_PATH, SHOP } from '../contents.ts';
import { keptClient } from '../kept-client.ts';
import { describeLoad, describeMachine } from '../report.ts';
import { runBench, type Undo } from '../run-bench.ts';
import { footprintOf } from '../scale/footprint.ts';
import { type Stage, setStage } from '../stage.ts';
import { percentile } from '../statistics.ts';
import { authorizationFor } from '../tokens.ts';
import type { BareStreams, Listening } from './bare-streams.ts';
import type { AllHave, ReadersQuestion } from './readers.ts';

const STREAM = '/api/client/streaming?environment=production';
/** Ten flags, because otherwise the first events of thousands of readers would be gigabytes. */
const FEW_FLAGS = `${STREAM}&namePrefix=${flagName(0).slice(0, -1)}`;
const ROUNDS = 3;
const CHANGES_OF_ROUND = 7;
const FLOOD = { perSecond: 100, readers: 100, everyMs: 50 };

interface Options {
  readonly changes: number;
  readonly readers: number;
  readonly seconds: number;
}

interface Bench extends Options {
  readonly stage: Stage;
  readonly undoLater: (undo: Undo) => void;
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

let changes = 10_000_000;

/** Changes a flag. Returns when the write was sent, in ms since 1970, and the new description. */
function change({ admin }: Stage) {
  changes += 1;
  const text = descriptionOf(changes);
  const sentAt = performance.timeOrigin + performance.now();
  const done = admin.call({
    method: 'PATCH',
    path: `${pathOf('featureflags', SHOP, flagName(0))}?fieldManager=kubectl-patch`,
    contentType: 'application/merge-patch+json',
    body: { spec: { description: text } },
  });
  return { text, sentAt, done };
}

function startReaders({ undoLater }: Bench) {
  const readers = startProgram<ReadersQuestion, AllHave>('streams/readers.ts');
  undoLater(readers.stop);
  return readers;
}

async function untilSdkHas(sdk: Unleash, text: string): Promise<number> {
  const has = () => sdk.getFeatureToggleDefinition(flagName(0))?.description === text;
  while (!has()) await nextEvent(sdk, 'changed');
  return performance.timeOrigin + performance.now();
}

async function delay({ stage, changes: count }: Bench): Promise<void> {
  const sdk = startSdk(`http://127.0.0.1:${stage.operator.port}`, {
    token: stage.tokens.client,
    experimentalMode: { type: 'streaming' },
  });
  await nextEvent(sdk, 'synchronized');
  const tookMs: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const { text, sentAt, done } = change(stage);
    tookMs.push((await untilSdkHas(sdk, text)) - sentAt);
    await done;
    await pause(systemClock, 1_000);
  }
  endSdk(sdk);
  const [p50, p99] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)];
  report(`A change with kubectl until the Node SDK has it, ${count} changes, one a second`);
  report(`  p50 ${p50.toFixed(1)} ms (aim: under 50), p99 ${p99.toFixed(1)} ms (aim: under 250)`);
}

/** Starts a server that sends its readers what Vexil sends now. */
async function startBare({ stage, undoLater }: Bench): Promise<Listening> {
  const { operator, tokens, kubeconfig } = stage;
  const stream = await openStream(`http://127.0.0.1:${operator.port}`, { token: tokens.client, path: FEW_FLAGS });
  const first = await stream.nth(1);
  const { text, done } = change(stage);
  const update = await stream.nth(2);
  await done;
  stream.close();
  const program = startProgram<BareStreams, Listening>('streams/bare-streams.ts');
  undoLater(program.stop);
  const [route = ''] = STREAM.split('?');
  return program.ask({ kubeconfig, route, first: textOf(first), update: textOf(update), description: text });
}

function textOf({ id, name, data }: ReceivedEvent): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

interface Fanned {
  /** The memory with one stream; `addedMb` is what the other streams add. */
  readonly idleMb: number;
  readonly addedMb: number;
  /** The time from the change until the last reader has it. */
  readonly reachedMs: readonly number[];
  /** The time from the first reader to the last. */
  readonly spreadMs: readonly number[];
}

async function fanOut(bench: Bench, { pid, port }: Listening): Promise<Fanned> {
  const { stage, readers: count } = bench;
  const { client: token } = stage.tokens;
  const readers = startReaders(bench);
  await readers.ask({ open: 1, port, path: FEW_FLAGS, token });
  const idleMb = (await footprintOf(pid)).residentMb;
  await readers.ask({ open: count - 1, port, path: FEW_FLAGS, token });
  const addedMb = (await footprintOf(pid)).residentMb - idleMb;
  const reachedMs: number[] = [];
  const spreadMs: number[] = [];
  for (let turn = 0; turn < CHANGES_OF_ROUND; turn += 1) {
    const { text, sentAt, done } = change(stage);
    const { firstAt, lastAt } = await readers.ask({ text });
    reachedMs.push(lastAt - sentAt);
    spreadMs.push(lastAt - firstAt);
    await done;
    await pause(systemClock, 1_000);
  }
  await readers.stop();
  return { idleMb, addedMb, reachedMs, spreadMs };
}

/**
 * Measures both sides in turn, because a change would otherwise reach the readers of both sides at once. The memory is
 * that of the first round.
 */
async function manyReaders(bench: Bench): Promise<void> {
  const bare = await startBare(bench);
  const rounds: { readonly ours: Fanned; readonly theirs: Fanned }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ ours: await fanOut(bench, bench.stage.operator), theirs: await fanOut(bench, bare) });
  }
  const ours = summaryOf(rounds.map((round) => round.ours));
  const theirs = summaryOf(rounds.map((round) => round.theirs));
  report(`${bench.readers} open streams, and ${ROUNDS * CHANGES_OF_ROUND} changes with kubectl until all have them`);
  report(`  Vexil         ${describeFanned(ours)}`);
  report(`  bare Express  ${describeFanned(theirs)}`);
  const [memory, time] = [ours.addedMb / theirs.addedMb, ours.reached.p50Ms / theirs.reached.p50Ms];
  const spread = ours.spread.p50Ms / theirs.spread.p50Ms;
  report(
    `  Vexil against bare Express: ${memory.toFixed(2)} of its memory, ${time.toFixed(2)} of its p50, ${spread.toFixed(2)} from the first reader on`,
  );
  report('  aims for Vexil: under 100 MiB, 500 ms');
}

function summaryOf(rounds: readonly Fanned[]) {
  const [{ idleMb, addedMb } = { idleMb: 0, addedMb: 0 }] = rounds;
  const timesOf = (tookMs: readonly number[]) => ({ p50Ms: percentile(tookMs, 0.5), maxMs: Math.max(...tookMs) });
  const reached = timesOf(rounds.flatMap(({ reachedMs }) => reachedMs));
  return { idleMb, addedMb, reached, spread: timesOf(rounds.flatMap(({ spreadMs }) => spreadMs)) };
}

function describeFanned({ idleMb, addedMb, reached, spread }: ReturnType<typeof summaryOf>): string {
  const times = ({ p50Ms, maxMs }: typeof reached) => `p50 ${p50Ms.toFixed(0)} ms, at most ${maxMs.toFixed(0)} ms`;
  const memory = `${addedMb.toFixed(0)} MiB beyond ${idleMb.toFixed(0)} MiB`;
  return `${memory}   all after ${times(reached)}   from the first reader on ${times(spread)}`;
}

/** Sends requests of one caller, one after the other, and measures the resident memory. */
async function readFor({ stage }: Bench, seconds: number) {
  const endsAt = performance.now() + seconds * 1_000;
  const url = `http://127.0.0.1:${stage.operator.port}`;
  const asked = [`/api/admin/projects/shop/features/${flagName(1)}`, SDK_PATH].map((path) => ({
    path,
    client: keptClient({ url, headers: authorizationFor(path, stage.tokens) }),
  }));
  const tookMs: number[] = [];
  const memory: number[] = [];
  while (performance.now() < endsAt) {
    for (const { path, client } of asked) tookMs.push((await client.call({ method: 'GET', path })).tookMs);
    memory.push((await footprintOf(stage.operator.pid)).residentMb);
    await pause(systemClock, FLOOD.everyMs);
  }
  for (const { client } of asked) client.close();
  return { tookMs, memory };
}

async function flood(bench: Bench): Promise<void> {
  const { stage, seconds } = bench;
  const readers = startReaders(bench);
  const { operator, tokens } = stage;
  await readers.ask({ open: FLOOD.readers, port: operator.port, path: STREAM, token: tokens.client });
  const before = await readFor(bench, 5);
  const { result, perSecond } = await whileChanging(stage.admin, FLOOD.perSecond, () => readFor(bench, seconds));
  const { text, done } = change(stage);
  await Promise.all([readers.ask({ text }), done]);
  const half = result.memory.slice(result.memory.length / 2);
  report(`${FLOOD.perSecond} changes a second for ${seconds} s, ${FLOOD.readers} open streams with all flags`);
  report(`  ${perSecond.toFixed(0)} changes/s were written, and a change after them reached all readers`);
  report(
    `  reads: p50 ${percentile(result.tookMs, 0.5).toFixed(1)} ms, p99 ${percentile(result.tookMs, 0.99).toFixed(1)} ms (aim: 100); before: p99 ${percentile(before.tookMs, 0.99).toFixed(1)} ms`,
  );
  report(
    `  memory: ${Math.max(...before.memory).toFixed(0)} MiB before, at most ${Math.max(...result.memory).toFixed(0)} MiB; at most ${Math.max(...half).toFixed(0)} MiB in the second half`,
  );
  await readers.stop();
}

const rows = { delay, readers: manyReaders, flood };

await runBench<Options & { readonly only: readonly string[] }>({
  usage: `Usage: node test/perf/streams/main.ts [--changes N] [--readers N] [--seconds N] [--only ${Object.keys(rows).join('|')}]...`,
  readOptions() {
    const { values } = parseArgs({
      options: {
        changes: { type: 'string', default: '60' },
        readers: { type: 'string', default: '5000' },
        seconds: { type: 'string', default: '30' },
        only: { type: 'string', multiple: true, default: Object.keys(rows) },
      },
    });
    const { changes: count, readers, seconds, only } = values;
    return { changes: Number(count), readers: Number(readers), seconds: Number(seconds), only };
  },
  async run({ only, ...options }, undoLater) {
    report(`${describeMachine()}\n`);
    const stage = await setStage({ users: 0, profile: undefined, say, undoLater });
    for (const [name, measure] of Object.entries(rows)) {
      if (!only.includes(name)) continue;
      say(`measuring ${name}`);
      await measure({ ...options, stage, undoLater });
      report(`  ${describeLoad()}\n`);
    }
  },
});
