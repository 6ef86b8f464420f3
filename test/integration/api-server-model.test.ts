/** The model of the API server that the simulation uses, and the real one: the same calls have the same answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusedCall } from '../../src/kube/api/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../src/kube/api/transport.ts';
import { recordOf } from '../../src/model/json.ts';
import { type ApiServer, createApiServer, type Frame, type OpenWatch } from '../simulation/cluster/api-server.ts';
import { createObserver, type Observer, type OpenedWatch } from '../simulation/cluster/observations.ts';
import { configMapCalls } from '../simulation/cluster/other-calls.ts';
import { aWatch, type Known, pageOf, VERSION_TO_COME } from '../simulation/cluster/script-step.ts';
import { aScript, aStep, LAST_STEPS, type Step } from '../simulation/cluster/scripts.ts';
import { sharedCluster } from '../support/cluster.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

/** `make soak` runs more. */
const SCRIPTS = Number(process.env['MODEL_SCRIPTS'] ?? 5);
const STEPS = 60;

/** One of the two servers, with a client. */
interface Side {
  readonly ask: (call: Call) => Promise<unknown>;
  /** Resolves when the watch is open. */
  readonly open: (call: Call) => Promise<Watching>;
  readonly observer: Observer;
}

interface Watching extends OpenedWatch {
  readonly ended: boolean;
}

interface ModelSide extends Side {
  readonly server: ApiServer;
  readonly watches: readonly OpenWatch[];
}

function modelSide(): ModelSide {
  let uids = 0;
  const newUid = () => {
    uids += 1;
    return `uid-${uids}`;
  };
  const server = createApiServer({ now: Date.now, newUid });
  // The real server, too, has started after the first version.
  server.etcd.skip(100);
  server.restart();
  const observer = createObserver();
  const watches: OpenWatch[] = [];
  return {
    ...{ server, observer, watches },
    async ask(call) {
      const { status, body } = server.answer(call);
      if (status < 300) return body;
      throw refusedCall({ action: `${call.method} ${call.path}`, status, body });
    },
    async open(call) {
      const frames: Frame[] = [];
      const watching = { ...call, frames, openedAt: observer.newest, ended: false };
      const end = () => {
        watching.ended = true;
      };
      watches.push(server.watch(call, (frame) => frames.push(frame), end));
      return watching;
    },
  };
}

function realSide(transport: Transport): Side {
  const observer = createObserver();
  return {
    observer,
    ask: transport.request,
    async open(call) {
      const frames: Frame[] = [];
      const watching = { ...call, frames, openedAt: observer.newest, ended: false };
      const stream = await transport.stream(call);
      void (async () => {
        for await (const frame of stream) frames.push(frame as Frame);
        watching.ended = true;
      })().catch(() => undefined);
      return watching;
    },
  };
}

interface Pair {
  readonly model: ModelSide;
  readonly real: Side;
}

/** Sends the call to both. */
async function compare({ model, real }: Pair, namespace: string, { what, callFor }: Step): Promise<void> {
  const observed = async ({ observer, ask }: Side) => {
    const call = callFor(namespace, observer);
    return observer.observe(call, () => ask(call));
  };
  const expected = await observed(real);
  expect(await observed(model), what).toEqual(expected);
}

interface WatchedPair {
  readonly what: string;
  readonly model: Watching;
  readonly real: Watching;
}

async function watchBoth({ model, real }: Pair, namespace: string, { what, callFor }: Step): Promise<WatchedPair> {
  const opened = ({ observer, open }: Side) => open(callFor(namespace, observer));
  return { what, model: await opened(model), real: await opened(real) };
}

/**
 * Waits for the frames of the real watch. Bookmarks that come with time are left out, unless the test is about them;
 * several in a row count as one.
 */
async function compareFrames(pair: Pair, { what, model, real }: WatchedPair, { isOfTime = false } = {}): Promise<void> {
  const isMark = (frame: Frame | undefined) =>
    frame?.type === 'BOOKMARK' && recordOf(recordOf(frame.object)['metadata'])['annotations'] === undefined;
  const isCompared = (frame: Frame, index: number, all: readonly Frame[]) =>
    !isMark(frame) || (isOfTime && !isMark(all[index - 1]));
  const compared = (watching: Watching) => ({ ...watching, frames: watching.frames.filter(isCompared) });
  const isComplete = () =>
    compared(real).frames.length >= compared(model).frames.length && (real.ended || !model.ended);
  await waitUntil({ what: `the frames of: ${what}` }, isComplete).catch(() => undefined);
  const seen = ({ observer }: Side, watching: Watching) => {
    return { frames: observer.framesOf(compared(watching)), ended: model.ended && watching.ended };
  };
  expect(seen(pair.model, model), what).toEqual(seen(pair.real, real));
}

describe('the shared API server', () => {
  const cluster = sharedCluster();

  test.concurrent.each(Array.from({ length: SCRIPTS }, (_, index) => index + 1))('script %i', async (seed) => {
    const namespace = await cluster.freshNamespace('model');
    const transport = connect(loadKubeConfig(cluster.kubeconfig));
    const pair = { model: modelSide(), real: realSide(transport) };
    const watched: WatchedPair[] = [];
    for (const step of [...aScript(seed, STEPS), ...LAST_STEPS]) {
      if (step.what.startsWith('watch')) watched.push(await watchBoth(pair, namespace, step));
      else await compare(pair, namespace, step);
    }
    for (const one of watched) await compareFrames(pair, one);
    transport.close();
  });

  // The API server waits three seconds for the version.
  test.concurrent('a list at a version to come', async () => {
    const namespace = await cluster.freshNamespace('model');
    const transport = connect(loadKubeConfig(cluster.kubeconfig));
    const pair = { model: modelSide(), real: realSide(transport) };
    const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
    const query = { limit: 1, resourceVersion: VERSION_TO_COME, resourceVersionMatch: 'Exact' };
    await compare(pair, namespace, { what: 'list', callFor: () => ({ method: 'GET', path, query }) });
    transport.close();
  });
});

/** There, nothing of a list comes from the cache of the API server, so what etcd has compacted is gone at once. */
describe('an API server of its own', () => {
  const namespace = 'default';
  const ends: (() => unknown)[] = [];
  let plane: ControlPlane;
  let pair: Pair;
  const compareAll = async (...steps: readonly Step[]) => {
    for (const step of steps) await compare(pair, namespace, step);
  };

  beforeAll(async () => {
    plane = await startControlPlane({ apiServerArgs: ['--feature-gates=ListFromCacheSnapshot=false'] });
    const transport = connect(loadKubeConfig(plane.kubeconfig));
    ends.push(transport.close, plane.stop);
    pair = { model: modelSide(), real: realSide(transport) };
    const names = ['a', 'b', 'c'];
    await compareAll(...names.map((name) => aStep(configMapCalls, 'create the ConfigMap', { name })));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  // The API server sends a bookmark two seconds before the watch ends.
  test('bookmarks, which a watch from a version to come does not get', async () => {
    const path = configMapCalls.path(namespace);
    const versions = ({ objects }: Known) => [objects.get(`${path}/a`)?.versions[0], VERSION_TO_COME];
    const watched = await Promise.all(
      [0, 1].map((index) => {
        const callFor = (_: string, known: Known) =>
          aWatch(path, { resourceVersion: versions(known)[index], timeoutSeconds: 3 });
        return watchBoth(pair, namespace, { what: `watch ${index}`, callFor });
      }),
    );
    await compareAll(aStep(configMapCalls, 'write the ConfigMap', { name: 'b', number: 1 }));
    await waitUntil({ what: 'the watches end' }, () => watched.every(({ real }) => real.ended));
    for (const { bookmark } of pair.model.watches) bookmark();
    for (const one of watched) await compareFrames(pair, one, { isOfTime: true });
  });

  test('versions that etcd has compacted', async () => {
    const first = aPage('the first page', new Map());
    await compareAll(first, aStep(configMapCalls, 'write the ConfigMap', { name: 'b' }));
    await plane.compact();
    const { etcd } = pair.model.server;
    etcd.compact(etcd.revision);
    const next = aPage('the next page');
    await compareAll(next, aStep(configMapCalls, 'list at a version', { isStale: true }), first, next);
  });
});

/** A page of ConfigMaps: the next one, unless others are known. */
function aPage(what: string, known?: Known['pages']): Step {
  const all = configMapCalls.path('default');
  return { what, callFor: (_, { pages }) => pageOf({ all, pages: known ?? pages }, {}) };
}
