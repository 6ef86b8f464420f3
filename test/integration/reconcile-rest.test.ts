/** The shipped samples: Ready at once, and not written again. */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';

const SAMPLES = new URL('../../config/samples/', import.meta.url);
const cluster = sharedCluster();
let transport: Transport;
let operator: Operator;
/** The namespaces of the samples, with names for this run. */
let namespaces: Readonly<Record<string, string>>;
let canary: string;

beforeAll(async () => {
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  const shop = await cluster.freshNamespace('shop');
  namespaces = { 'vexil-system': await cluster.freshNamespace('home'), shop };
  canary = await cluster.freshNamespace('canary');
  operator = await startOperator(cluster, namespaces['vexil-system'] ?? '', { watched: [shop, canary] });
  const files = (await readdir(SAMPLES)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, SAMPLES), 'utf8')));
  const moved = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => {
      const one = document.toJS();
      return { ...one, metadata: { ...one.metadata, namespace: namespaces[one.metadata.namespace] } };
    }),
  );
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input: moved.map((one) => stringify(one)).join('---\n') });
});

afterAll(async () => {
  await operator?.stop();
  transport?.close();
});

async function everything(): Promise<Stored[]> {
  const places = Object.values(namespaces).flatMap((namespace) => kinds.map((kind) => ({ kind, namespace })));
  const lists = await Promise.all(
    places.map(async ({ kind, namespace }) => {
      const { items } = (await transport.request({ method: 'GET', path: resourcePath(kind, namespace) })) as Stored;
      return items.map((item: Stored) => ({ ...item, kind: kind.kind }));
    }),
  );
  return lists.flat();
}

const apply = (manifest: Manifest) => cluster.apply([manifest]);

/**
 * Applies a flag in a namespace of its own, and waits until its project has counted it: all work that was due before is
 * done then.
 */
async function anUnrelatedRound(round: number): Promise<void> {
  await apply(aFlag(`${canary}/canary-${round}`, { project: canary }));
  await waitUntil({ what: 'the canary is counted' }, async () => {
    return (await cluster.getObject(`fp/${canary}`, canary)).status?.flags === round;
  });
}

describe('the samples', () => {
  test('become ready, each with a healthy status', async () => {
    const found = await waitUntil({ what: 'all is ready' }, async () => {
      const all = await everything();
      // The members of a project are written a moment later.
      const ready = ({ status }: Stored) => status?.conditions?.[0]?.status === 'True' && !status.problems;
      return all.length > 0 && all.every(ready) && all;
    });
    expect(
      found
        .map(({ kind }) => kind)
        .filter((kind, index, all) => all.indexOf(kind) === index)
        .sort(),
    ).toEqual([
      'ApiToken',
      'Environment',
      'FeatureFlag',
      'FlagRole',
      'FlagUser',
      'Project',
      'Segment',
      'StrategyDefinition',
    ]);
    for (const object of found) expectHealthyStatus(object);
  });

  test('are counted', async () => {
    const flags = (await everything()).filter(({ kind }) => kind === 'FeatureFlag').length;
    const { status } = await waitUntil({ what: 'the project has counted' }, async () => {
      const one = await cluster.getObject('fp/shop', namespaces['shop'] ?? '');
      return one.status.flags === flags && one;
    });
    expect([status.members, status.health]).toEqual([2, 100]);
    await waitUntil({ what: 'production has counted' }, async () => {
      const where = (await everything()).filter(({ status: { enabledIn } }) =>
        enabledIn?.split(',').includes('production'),
      );
      const one = (await everything()).find(
        ({ kind, metadata }) => kind === 'Environment' && metadata.name === 'production',
      );
      return where.length > 0 && one.status.enabledToggleCount === where.length && one.status.projectCount === 2;
    });
  });
});

/** Returns the changes from now on. */
async function watch(path: string, signal: AbortSignal): Promise<AsyncIterable<Stored>> {
  const { metadata } = (await transport.request({ method: 'GET', path })) as Stored;
  const query = { watch: true, resourceVersion: metadata.resourceVersion };
  return (await transport.stream({ path, query, signal })) as AsyncIterable<Stored>;
}

test('without changes nothing is written, while other objects change', async () => {
  await apply(aProject(`${canary}/${canary}`, { environments: [] }));
  await anUnrelatedRound(1);
  const before = new Map((await everything()).map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata]));
  const end = new AbortController();
  const recorded: string[] = [];
  const places = Object.values(namespaces).flatMap((namespace) => kinds.map((kind) => resourcePath(kind, namespace)));
  const streams = await Promise.all(places.map((path) => watch(path, end.signal)));
  const reading = streams.map(async (frames) => {
    for await (const { type, object } of frames) recorded.push(`${type} ${object.metadata.name}`);
  });
  for (const round of [2, 3]) await anUnrelatedRound(round);
  expect(recorded).toEqual([]);
  for (const { kind, metadata } of await everything()) {
    expect(metadata.resourceVersion, metadata.name).toBe(before.get(`${kind} ${metadata.name}`)?.resourceVersion);
  }
  end.abort();
  await Promise.allSettled(reading);
});
