/**
 * Bursts of writes over many connections through the admin API, compared with patches of ConfigMaps at the API server.
 */
import { untilJudged, untilPublished } from './caught-up.ts';
import { compare, type Sample } from './compare.ts';
import { SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';
import { type Change, changes, throughApi, type Write } from './patches.ts';
import type { Bench, Row } from './rows.ts';
import { footprintOf } from './scale/footprint.ts';
import type { Stage } from './stage.ts';
import { median, percentile } from './statistics.ts';

const CONNECTIONS = 32;
/** More connections are not answered faster. */
const CONTROL_CONNECTIONS = 16;
const BURST_MS = 10_000;
/** A burst and the work after it take long. */
const MAX_ROUNDS = 3;
const CONFIG_MAPS = 500;
const CONFIG_MAPS_PATH = `/api/v1/namespaces/${SHOP}/configmaps`;

/**
 * The requests per second of the control on the machine where unleash-server 6.10.1 with PostgreSQL reached the rates
 * in `unleash`.
 */
const CONTROL_BESIDE_UNLEASH = 671;

interface Burst {
  readonly title: string;
  /** The requests per second of unleash-server. */
  readonly unleash: number;
  readonly write: (stage: Stage) => Write;
}

const ofFlags = (change: Change, unleash: number): Burst => ({
  title: change.title,
  unleash,
  write: ({ api }) => throughApi(api, change),
});

const created: Burst = {
  title: 'POST a flag',
  unleash: 160,
  write:
    ({ api }) =>
    async (number) => {
      const body = { name: `burst-${number}`, type: 'release', description: 'Created in a burst' };
      return (await api.call({ method: 'POST', path: '/api/admin/projects/shop/features', body })).tookMs;
    },
};

export const bursts = {
  described: ofFlags(changes.described, 243),
  switched: ofFlags(changes.switched, 232),
  strategyAdded: ofFlags(changes.strategyAdded, 183),
  created,
};

/** Other rows have used lower numbers. */
let next = 1_000_000;

export function burst({ title, unleash, write }: Burst): (bench: Bench) => Promise<Row> {
  return async ({ stage, rounds }) => {
    await createConfigMaps(stage.admin);
    const afterwards: { readonly caughtUpMs: number; readonly cpuMs: number }[] = [];
    const ours = async () => {
      const before = await footprintOf(stage.operator.pid);
      const { count, ...sample } = await writeFor(write(stage), CONNECTIONS);
      const endedAt = performance.now();
      await Promise.all([untilPublished(stage.operator), untilJudged(stage.admin)]);
      const after = await footprintOf(stage.operator.pid);
      const cpuMs = (1000 * (after.cpuSeconds - before.cpuSeconds)) / count;
      afterwards.push({ caughtUpMs: performance.now() - endedAt, cpuMs });
      return sample;
    };
    const [vexil, ...others] = await compare(
      [
        { name: 'Vexil', measure: ours },
        { name: 'ConfigMaps', measure: () => writeFor(patchConfigMap(stage.admin), CONTROL_CONNECTIONS) },
      ],
      Math.min(rounds, MAX_ROUNDS),
    );
    if (vexil === undefined) throw new Error('nothing was measured');
    return {
      title: `${title}, ${CONNECTIONS} connections, bursts of ${BURST_MS / 1000} s`,
      sides: [vexil, ...others],
      aim: { throughputAtLeast: Number((unleash / CONTROL_BESIDE_UNLEASH).toFixed(2)) },
      remarks: [
        `statuses and Events had caught up after ${seconds(afterwards.map(({ caughtUpMs }) => caughtUpMs))} s at most (aim 30 s)`,
        `the operator took ${median(afterwards.map(({ cpuMs }) => cpuMs)).toFixed(1)} ms of processor time for each (aim 3 ms)`,
      ],
    };
  };
}

const seconds = (ms: readonly number[]) => (Math.max(...ms) / 1000).toFixed(1);

async function writeFor(write: Write, connections: number): Promise<Sample & { readonly count: number }> {
  const tookMs: number[] = [];
  const startedAt = performance.now();
  const go = async () => {
    while (performance.now() - startedAt < BURST_MS) tookMs.push(await write(next++));
  };
  await Promise.all(Array.from({ length: connections }, go));
  return {
    count: tookMs.length,
    perSecond: (1000 * tookMs.length) / (performance.now() - startedAt),
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
  };
}

async function createConfigMaps(admin: KeptClient): Promise<void> {
  for (let number = 0; number < CONFIG_MAPS; number += 1) {
    const path = `${CONFIG_MAPS_PATH}/burst-${number}?fieldManager=bench&force=true`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `burst-${number}` }, data: { number: '' } };
    await admin.call({ method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body });
  }
}

function patchConfigMap(admin: KeptClient): Write {
  return async (number) => {
    const path = `${CONFIG_MAPS_PATH}/burst-${number % CONFIG_MAPS}?fieldManager=bench`;
    const body = { data: { number: String(number) } };
    return (await admin.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body })).tookMs;
  };
}
