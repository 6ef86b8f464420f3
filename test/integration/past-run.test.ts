/** Random changes on a real API server, also without an operator: each past time is right, or said to be uncertain. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { PastObject } from '../../src/audit/archive/versions/versions.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { canonicalJson } from '../../src/model/json.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { seeded } from '../perf/audit/plausible-entries.ts';
import { untilBaseline } from '../support/audit/until-baseline.ts';
import { anEnvironment, aProject } from '../support/builders.ts';
import { type Cluster, sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inNextSecond } from '../support/in-next-second.ts';
import { type Operator, startOperator } from '../support/operator.ts';

const FLAGS = ['a', 'b', 'c', 'd', 'e', 'f'];
const ROUNDS = 9;
const CHANGES_PER_ROUND = 10;
const TIMES = 80;
/** Rounds in which no operator runs. */
const AWAY = { from: 3, until: 6 };

/** What a flag said from some moment between two times on; undefined: it was gone. */
interface Copy {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly spec: unknown;
}

const random = seeded(11);
const below = (count: number) => Math.floor(random() * count);
let cluster: Cluster;
let transport: Transport;
let home: string;
let folder: string;
let url: string;
let operator: Operator | undefined;
let archive: Archive;
const copies: Copy[] = [];

const start = async () => {
  operator = await startOperator(cluster, home, { settings: { VEXIL_AUDIT_URL: url } });
};

beforeAll(async () => {
  cluster = sharedCluster();
  home = await cluster.freshNamespace('past-run');
  folder = await mkdtemp(join(tmpdir(), 'vexil-past-run-'));
  url = `sqlite:${join(folder, 'audit.db')}`;
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  await cluster.apply([anEnvironment(`${home}/production`), aProject(`${home}/shop`)]);
  await start();
  await untilBaseline(url);
  archive = openArchive(url, { notice: () => undefined });
});
afterAll(async () => {
  await operator?.stop();
  await archive?.close();
  transport?.close();
  await rm(folder, { recursive: true, force: true });
});

const lastOf = (name: string) => copies.findLast((copy) => copy.name === name)?.spec;

/** Changes a flag in a random way, as kubectl does, and keeps a copy of what it says then. */
async function change(): Promise<void> {
  const name = FLAGS[below(FLAGS.length)] ?? '';
  const path = resourcePath(featureFlag, home, name);
  const enabled = below(2) === 0;
  const spec = { description: `${below(1e6)}`, environments: { production: { enabled } } };
  const query = { fieldManager: 'kubectl-edit' };
  const from = Date.now();
  const exists = lastOf(name) !== undefined;
  const isDeleted = exists && below(6) === 0;
  const contentType = 'application/merge-patch+json';
  const body = { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', metadata: { name }, spec };
  const answer: unknown = isDeleted
    ? await transport.request({ method: 'DELETE', path })
    : exists
      ? await transport.request({ method: 'PATCH', path, query, contentType, body: { spec } })
      : await transport.request({ method: 'POST', path: resourcePath(featureFlag, home), query, body });
  const said = (answer as { readonly spec?: unknown }).spec;
  copies.push({ name, from, until: Date.now(), spec: isDeleted ? undefined : said });
}

/** What a flag may have said at a time: several specs, if a change was under way. */
function possibleAt(name: string, at: number): readonly string[] {
  const own = copies.filter((copy) => copy.name === name);
  const certain = own.findLastIndex(({ until }) => until <= at);
  const possible = own.filter(({ from }, index) => index >= certain && (index === certain || from <= at));
  return [...(certain < 0 ? [undefined] : []), ...possible.map(({ spec }) => spec)].map((spec) =>
    canonicalJson(spec ?? null),
  );
}

function complaintAbout(possible: readonly string[], said: readonly PastObject[]): string | undefined {
  // A flag that was deleted and created again is two objects.
  const recorded = said.flatMap(({ before, after }) =>
    [before, after].map((one) => canonicalJson(one?.content?.spec ?? null)),
  );
  if (said.length === 0) return possible.includes('null') ? undefined : `was ${possible}, and is not known`;
  const isRight = possible.some((one) => recorded.includes(one)) || said.some(({ span }) => span?.several);
  return isRight ? undefined : `was ${possible}, not ${recorded}`;
}

async function changeInRounds(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === AWAY.from) await operator?.stop();
    if (round === AWAY.until) await start();
    for (let count = 0; count < CHANGES_PER_ROUND; count += 1) await change();
    await inNextSecond();
  }
}

const objectsAt = async (at: number) => (await archive.versionsAt({ at, resources: [], flags: { of: 'all' } })).objects;

async function untilRecorded(): Promise<void> {
  await waitUntil({ what: 'everything is recorded' }, async () => {
    const objects = await objectsAt(Date.now() + 60_000);
    const known = new Map(objects.map(({ name, after }) => [name, after.content?.spec]));
    return FLAGS.every((name) => canonicalJson(known.get(name) ?? null) === canonicalJson(lastOf(name) ?? null));
  });
}

test('90 changes, a third without an operator: 80 times are right or uncertain', async () => {
  const began = Date.now();
  await changeInRounds();
  await untilRecorded();
  const ended = Date.now();
  const complaints: string[] = [];
  let certain = 0;
  for (let count = 0; count < TIMES; count += 1) {
    const at = began + below(ended - began);
    const saying = Map.groupBy(await objectsAt(at), ({ name }) => name);
    const found = FLAGS.map((name) => complaintAbout(possibleAt(name, at), saying.get(name) ?? []));
    complaints.push(...found.flatMap((one, index) => (one ? [`at ${at - began}, ${FLAGS[index]} ${one}`] : [])));
    certain += FLAGS.filter((name) => (saying.get(name) ?? []).every(({ span }) => span === undefined)).length;
  }
  expect(complaints).toEqual([]);
  // Otherwise, the history would know nothing. On a slow machine, more seconds have a change.
  expect(certain).toBeGreaterThan((TIMES * FLAGS.length) / 4);
});
