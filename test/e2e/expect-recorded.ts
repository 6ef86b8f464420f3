/** Compares acknowledged writes with the cluster and the history. */
import { expect } from 'vitest';
import type { Call } from '../support/admin-client.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import type { RealCluster } from './cluster.ts';
import { describedAs, type Ledger } from './steady-writes.ts';

export interface RecordedWhere {
  readonly cluster: RealCluster;
  readonly namespace: string;
  readonly project: string;
  readonly call: Call;
}

/** How long the history may be behind the writes. */
const RECORDED_WITHIN_MS = 60_000;
const TYPES = ['feature-created', 'feature-metadata-updated'];

/** Checks that every acknowledged write is in the cluster and exactly once in the history. */
export async function expectRecorded({ done }: Ledger, where: RecordedWhere): Promise<void> {
  expect(done.length, 'nothing was written').toBeGreaterThan(0);
  const { items } = await where.cluster.read(`/apis/vexil.dev/v1beta1/namespaces/${where.namespace}/featureflags`);
  const described = new Map(items.map(({ metadata, spec }: Stored) => [metadata.name, spec.description]));
  expect(done.filter((flag) => described.get(flag) !== describedAs(flag))).toEqual([]);

  const wanted = done.flatMap((flag) => TYPES.map((type) => `${flag} ${type}`));
  const recorded = await waitUntil(
    { what: 'the history has every write', timeoutMs: RECORDED_WITHIN_MS, everyMs: 500 },
    () => recordedIfAll(where, wanted),
  );
  expect(wanted.filter((one) => recorded.get(one) !== 1).map((one) => `${one}: ${recorded.get(one)} times`)).toEqual(
    [],
  );
}

/** The number of entries of each event; false if an event is missing or the API does not answer. */
async function recordedIfAll(
  { call, project }: RecordedWhere,
  wanted: readonly string[],
): Promise<Map<string, number> | false> {
  const answer = await call(`GET /search/events/export?project=IS:${project}`).catch(() => undefined);
  if (answer?.status !== 200) return false;
  const recorded = new Map<string, number>();
  for (const line of answer.text.split('\n').slice(0, -1)) {
    const { featureName, type } = JSON.parse(line);
    const one = `${featureName} ${type}`;
    recorded.set(one, (recorded.get(one) ?? 0) + 1);
  }
  return wanted.every((one) => recorded.has(one)) && recorded;
}
