/** The measurements: one function for each row of the result. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { BareRoutes } from './bare-express.ts';
import { whileChanging } from './changes.ts';
import { type ChildProgram, startProgram } from './child-program.ts';
import { compare, type Measurements, type Sample, type Side } from './compare.ts';
import { FLAGS, flagName, SDK_PATH } from './contents.ts';
import { changeAndLook } from './history.ts';
import type { Load, Measured } from './load.ts';
import { type Change, inTurn, straight, throughApi, type Write } from './patches.ts';
import type { Undo } from './run-bench.ts';
import { type Sightings, seenByWatch, seenInAnswers, watchBare } from './sightings.ts';
import type { Stage } from './stage.ts';
import { percentile } from './statistics.ts';
import { authorizationFor } from './tokens.ts';
import { addressOf, USERS } from './users.ts';

export interface Row {
  readonly title: string;
  /** The counted unit; requests by default. */
  readonly unit?: string;
  /** The measurements of Vexil first, then those of the other sides. */
  readonly sides: readonly [Measurements, ...Measurements[]];
  readonly aim: Aim;
  readonly remarks: readonly string[];
}

/**
 * `throughput`: at least that share of the others' requests per second; `latency`: at most that multiple of their p50;
 * `p99Ms` and `perSecond`: at most and at least that, independent of the others.
 */
export type Aim =
  | { readonly throughputAtLeast: number }
  | { readonly latencyAtMost: number }
  | { readonly p99MsAtMost: number }
  | { readonly perSecondAtLeast: number };

export interface Bench {
  readonly stage: Stage;
  readonly rounds: number;
  readonly generator: ChildProgram<Load, Measured>;
  readonly sightings: Sightings;
  /**
   * Ports of the bare servers: Express with its defaults, and Express without the ETag that it makes for each answer.
   */
  readonly bare: { readonly plain: number; readonly withoutEtag: number };
}

const ROUND_MS = 1_500;
const FLAG_CONNECTIONS = 32;
const LIST_CONNECTIONS = 8;
const SEARCH_CONNECTIONS = 8;
const CHANGES_PER_SECOND = 10;
const WRITES_A_ROUND = 100;

const FLAG_PATH = `/api/admin/projects/shop/features/${flagName(0)}`;
const LIST_PATH = '/api/admin/projects/shop/features';
/** The search finds the last user, so that all are compared. */
const SEARCH_PATH = `/api/admin/user-admin/search?q=${encodeURIComponent(addressOf(USERS - 1))}`;

/** Starts the generator, and bare servers for the present answers of Vexil. */
export async function prepareBench(stage: Stage, undoLater: (undo: Undo) => void): Promise<Omit<Bench, 'rounds'>> {
  const generator = startProgram<Load, Measured>('load.ts');
  undoLater(generator.stop);
  const bodies = [
    { route: '/api/admin/projects/:projectId/features/:featureName', body: await bytesOf(stage, FLAG_PATH) },
    { route: '/api/admin/projects/:projectId/features', body: await bytesOf(stage, LIST_PATH) },
    { route: '/api/client/features', body: await bytesOf(stage, SDK_PATH) },
    { route: '/api/admin/user-admin/search', body: await bytesOf(stage, SEARCH_PATH) },
  ];
  const startBare = (etag: boolean) => {
    const program = startProgram<BareRoutes, number>('bare-express.ts');
    undoLater(program.stop);
    return program.ask({ etag, bodies });
  };
  const sightings = watchBare(stage.kubeconfig, undoLater);
  return { stage, generator, sightings, bare: { plain: await startBare(true), withoutEtag: await startBare(false) } };
}

/** Reads one flag again and again. */
export async function readFlag(bench: Bench): Promise<Row> {
  const { length } = await bytesOf(bench.stage, FLAG_PATH);
  const measured = await compare(readers(bench, { path: FLAG_PATH, connections: FLAG_CONNECTIONS }), bench.rounds);
  const title = `GET one flag, ${length} bytes, ${FLAG_CONNECTIONS} connections`;
  return { title, ...readResult(measured), aim: { throughputAtLeast: 0.5 } };
}

/** Reads all flags of a project while nothing changes. */
export async function readList(bench: Bench): Promise<Row> {
  const { length } = await bytesOf(bench.stage, LIST_PATH);
  const measured = await compare(readers(bench, { path: LIST_PATH, connections: LIST_CONNECTIONS }), bench.rounds);
  const title = `GET the list of ${FLAGS} flags, ${length} bytes, ${LIST_CONNECTIONS} connections`;
  return { title, ...readResult(measured), aim: { throughputAtLeast: 0.5 } };
}

/** Reads all flags of a project while flags change. The changes continue while the other sides are measured. */
export async function readChangingList(bench: Bench): Promise<Row> {
  const { stage } = bench;
  const work = () => compare(readers(bench, { path: LIST_PATH, connections: LIST_CONNECTIONS }), bench.rounds);
  const { result, last, perSecond } = await whileChanging(stage.admin, CHANGES_PER_SECOND, work);
  const isShown = async () => (await bytesOf(stage, LIST_PATH)).includes(last);
  await waitUntil({ what: 'the list shows the last change', timeoutMs: 5_000, everyMs: 10 }, isShown);
  const { sides, remarks } = readResult(result);
  return {
    title: `The same list while ${CHANGES_PER_SECOND} flags change in a second`,
    sides,
    aim: { throughputAtLeast: 0.5 },
    remarks: [`${perSecond.toFixed(1)} changes/s were written, and the last one is in the list`, ...remarks],
  };
}

/** Polls as an SDK does, without an ETag, while nothing changes. */
export async function pollFlags(bench: Bench): Promise<Row> {
  const { length } = await bytesOf(bench.stage, SDK_PATH);
  const measured = await compare(readers(bench, { path: SDK_PATH, connections: LIST_CONNECTIONS }), bench.rounds);
  const title = `Poll of an SDK, ${FLAGS} flags with two strategies, ${length} bytes, ${LIST_CONNECTIONS} connections`;
  return { title, ...readResult(measured), aim: { throughputAtLeast: 0.5 } };
}

/** Polls as SDKs do that have the present flags. */
export async function pollUnchanged(bench: Bench): Promise<Row> {
  const headers = { 'If-None-Match': '*' };
  const measured = await compare(
    readers(bench, { path: SDK_PATH, connections: FLAG_CONNECTIONS, headers }),
    bench.rounds,
  );
  const title = `The same, answered 304, ${FLAG_CONNECTIONS} connections`;
  return { title, ...readResult(measured), aim: { throughputAtLeast: 0.6 } };
}

/** Searches one user of many, again and again. */
export async function searchUsers(bench: Bench): Promise<Row> {
  const answer = await bytesOf(bench.stage, SEARCH_PATH);
  const { users } = JSON.parse(answer.toString()) as { users: readonly unknown[] };
  if (users.length !== 1) throw new Error(`the search found ${users.length} users`);
  const measured = await compare(readers(bench, { path: SEARCH_PATH, connections: SEARCH_CONNECTIONS }), bench.rounds);
  const title = `Search one of ${USERS} users, ${answer.length} bytes, ${SEARCH_CONNECTIONS} connections`;
  // A user who types does not wait longer.
  return { title, ...readResult(measured), aim: { p99MsAtMost: 50 } };
}

/** Writes of one kind, one at a time, in turn through the admin API and at the API server. */
export function write(change: Change): (bench: Bench) => Promise<Row> {
  return async ({ stage, rounds }) => ({
    title: `${change.title}, one at a time, ${WRITES_A_ROUND} of each a round`,
    sides: await alternate(rounds, {
      Vexil: throughApi(stage.api, change),
      'API server alone': straight(stage.asOperator, change),
    }),
    aim: { latencyAtMost: 1.5 },
    remarks: [],
  });
}

/** Makes changes as kubectl does, in turn until the answer of Vexil shows them and until a bare watch receives them. */
export async function seeChanges({ stage, sightings, rounds }: Bench): Promise<Row> {
  return {
    title: `A change with kubectl until it is seen, one at a time, ${WRITES_A_ROUND} of each a round`,
    sides: await alternate(rounds, {
      'Vexil, GET the flag': seenInAnswers(stage.admin, stage.api),
      'bare watch': seenByWatch(stage.admin, sightings),
    }),
    aim: { latencyAtMost: 1.5 },
    remarks: ['the write itself is part of both'],
  };
}

/**
 * Makes many changes at once through the admin API and past it, until the history shows them. Runs once, for any number
 * of rounds.
 */
export async function reportChanges({ stage, sightings }: Bench): Promise<Row> {
  const { afterMs, watchedAfterMs, perSecond, changes, ...recorded } = await changeAndLook(stage, sightings);
  const sample = { perSecond, p50Ms: percentile(afterMs, 0.5), p99Ms: percentile(afterMs, 0.99) };
  const [watched50, watched99] = [percentile(watchedAfterMs, 0.5), percentile(watchedAfterMs, 0.99)];
  return {
    title: 'A change until a search in the history shows it, through the admin API and past it in turn',
    sides: [{ name: 'Vexil', samples: [sample] }],
    // One second: a user who looks has not put down the mouse yet.
    aim: { p99MsAtMost: 1_000 },
    remarks: [
      `of ${changes} changes ${afterMs.length} were seen in time, the slowest after ${percentile(afterMs, 1).toFixed(0)} ms; ${recorded.missing} are missing, ${recorded.double} double`,
      `a bare watch received them after ${watched50.toFixed(0)} ms (p50) and ${watched99.toFixed(0)} ms (p99)`,
      `${recorded.publishedMs.toFixed(0)} ms after the last change no Event waited; ${recorded.withoutEvent} changes have none`,
      `the operator took ${recorded.cpuMsPerChange.toFixed(1)} ms of processor time for each change, about ${recorded.lookingMsPerChange.toFixed(1)} ms of it for these searches`,
    ],
  };
}

async function alternate(rounds: number, ways: Readonly<Record<string, Write>>): Promise<Row['sides']> {
  const results: Sample[][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    results.push(await inTurn(Object.values(ways), WRITES_A_ROUND, round * WRITES_A_ROUND));
  }
  // The first round is the warm-up.
  const [first, ...others] = Object.keys(ways).map((name, index) => ({
    name,
    samples: results.slice(1).flatMap((samples) => samples[index] ?? []),
  }));
  if (first === undefined) throw new Error('nothing was measured');
  return [first, ...others];
}

type Asking = Pick<Load, 'path' | 'connections' | 'headers'>;

function readers({ stage, generator, bare }: Bench, asking: Asking): Side<Measured>[] {
  const headers = { ...authorizationFor(asking.path, stage.tokens), ...asking.headers };
  const reader = (name: string, port: number) => ({
    name,
    measure: () => generator.ask({ port, ...asking, headers, durationMs: ROUND_MS }),
  });
  return [
    reader('Vexil', stage.operator.port),
    reader('bare Express', bare.plain),
    reader('bare Express, no ETag', bare.withoutEtag),
  ];
}

export function readResult(measured: readonly Measurements<Measured>[]): Pick<Row, 'sides' | 'remarks'> {
  const [ours, ...others] = measured;
  if (ours === undefined) throw new Error('nothing was measured');
  const busiest = Math.max(...measured.flatMap(({ samples }) => samples.map(({ generatorShare }) => generatorShare)));
  return { sides: [ours, ...others], remarks: [`the generator took ${Math.round(busiest * 100)} % of a core at most`] };
}

/** The answer of Vexil to the path. `body` is posted. */
export async function bytesOf({ operator, tokens }: Stage, path: string, body?: string): Promise<Buffer> {
  const post = body === undefined ? {} : { method: 'POST', body };
  const headers = authorizationFor(path, tokens);
  const response = await fetch(`http://127.0.0.1:${operator.port}${path}`, { ...post, headers });
  if (response.status !== 200) throw new Error(`${path} is answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
