/** Measures streams of SDKs: the delay of a change, many readers, a flood of changes: `node test/perf/streams/main.ts`. */
import { parseArgs } from 'node:util';
import type { Unleash } from 'unleash-client';
import { pause } from '../../../src/model/clock.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
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
import type { AllHave, ReadersQuestion } from './readers.ts';

const STREAM = '/api/client/streaming?environment=production';
/** Ten flags: the first event of thousands of readers would else be gigabytes. */
const FEW_FLAGS = `${STREAM}&namePrefix=${flagName(0).slice(0, -1)}`;
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

/** Answers when the write was sent, in ms since 1970, and the new description. */
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

async function manyReaders(bench: Bench): Promise<void> {
  const { stage, readers: count } = bench;
  const { pid, port } = stage.operator;
  const { client: token } = stage.tokens;
  const readers = startReaders(bench);
  await readers.ask({ open: 1, port, path: FEW_FLAGS, token });
  const before = (await footprintOf(pid)).residentMb;
  await readers.ask({ open: count - 1, port, path: FEW_FLAGS, token });
  const after = (await footprintOf(pid)).residentMb;
  const reached: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const { text, sentAt, done } = change(stage);
    const { lastAt } = await readers.ask({ text });
    reached.push(lastAt - sentAt);
    await done;
    await pause(systemClock, 1_000);
  }
  await readers.stop();
  report(`${count} open streams`);
  report(`  ${(after - before).toFixed(0)} MiB beyond ${before.toFixed(0)} MiB (aim: under 100)`);
  report(`  a change with kubectl reached all after ${reached.map((ms) => ms.toFixed(0)).join(', ')} ms (aim: 500)`);
}

/** Requests of one caller, one after the other, and the resident memory. */
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
