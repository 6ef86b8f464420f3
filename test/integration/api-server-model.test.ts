/** The model of the API server that the simulation uses, and the real one: the same calls have the same answers. */
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { refusedCall } from '../../src/kube/api/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../src/kube/api/transport.ts';
import { createApiServer, type Frame } from '../simulation/cluster/api-server.ts';
import type { FieldSet, KubeObject } from '../simulation/cluster/etcd.ts';
import { aScript, type Known, type Step } from '../simulation/cluster/scripts.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

/** `make soak` runs more. */
const SCRIPTS = Number(process.env['MODEL_SCRIPTS'] ?? 5);
const STEPS = 40;

/** Fields whose ownership is not compared. */
const LEFT_OUT = new Set(['f:annotations', 'f:tags']);

const cluster = sharedCluster();
let namespace: string;
let config: KubeConfig;

beforeAll(() => {
  config = loadKubeConfig(cluster.kubeconfig);
});

beforeEach(async () => {
  namespace = await cluster.freshNamespace('model');
});

/** One of the two servers, and what a client knows of its objects. */
interface Side {
  readonly ask: (call: Call) => Promise<unknown>;
  readonly frames: readonly Frame[];
  readonly known: Map<string, Known>;
  readonly name: (value: string, of: 'uid' | 'version') => string;
}

/** Uids and versions by the order in which they are seen. */
function names(): Side['name'] {
  const seen = new Map<string, string>();
  return (value, of) => {
    const key = `${of} ${value}`;
    if (!seen.has(key)) seen.set(key, `${of} ${seen.size}`);
    return seen.get(key) ?? '';
  };
}

function modelSide(): Side {
  let uids = 0;
  const newUid = () => {
    uids += 1;
    return `uid-${uids}`;
  };
  const server = createApiServer({ now: Date.now, newUid });
  const frames: Frame[] = [];
  const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
  const query = { resourceVersion: `${server.etcd.revision}`, watch: true };
  server.watch(
    { path, query },
    (frame) => frames.push(frame),
    () => undefined,
  );
  return {
    frames,
    known: new Map(),
    name: names(),
    async ask(call) {
      const { status, body } = server.answer(call);
      if (status < 300) return body;
      throw refusedCall({ action: `${call.method} ${call.path}`, status, body });
    },
  };
}

async function realSide(transport: Transport): Promise<Side> {
  const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
  const list = (await transport.request({ method: 'GET', path, query: { limit: 1 } })) as KubeObject;
  const { resourceVersion } = list.metadata;
  const frames: Frame[] = [];
  const stream = await transport.stream({ path, query: { watch: true, resourceVersion } });
  void (async () => {
    for await (const frame of stream) frames.push(frame as Frame);
  })().catch(() => undefined);
  return { frames, known: new Map(), name: names(), ask: transport.request };
}

/** What a client sees of an answer; times, and what the server chooses, left out. */
async function observe(side: Side, step: Step): Promise<unknown> {
  const call = step.callFor(namespace, side.known);
  try {
    const body = await side.ask(call);
    note(side, call, body);
    return seen(side, body);
  } catch (error) {
    if (!isClusterError(error)) throw error;
    const { status, reason, causes = [] } = error.answer ?? {};
    return { code: error.code, status, reason, causes: causes.map((cause) => cause.reason) };
  }
}

function note({ known }: Side, { method, query }: Call, body: unknown): void {
  const { metadata, items } = body as Partial<KubeObject>;
  if (query?.['dryRun'] || items !== undefined || method === 'DELETE' || metadata?.uid === undefined) return;
  const before = known.get(metadata.name);
  const isNewer = before?.version !== metadata.resourceVersion;
  const versions = [...(before?.versions ?? []), ...(isNewer ? [metadata.resourceVersion] : [])];
  known.set(metadata.name, { uid: metadata.uid, version: metadata.resourceVersion, versions });
}

function seen(side: Side, body: unknown): unknown {
  const { items, metadata, kind, status } = body as List & Partial<KubeObject>;
  if (kind === 'Status') return { kind, status };
  if (items === undefined) return seenObject(side, body as KubeObject);
  const { remainingItemCount, continue: token } = metadata;
  return { items: items?.map((item) => seen(side, item)), remainingItemCount, isMore: Boolean(token) };
}

/** A list of nothing but metadata is null when it is empty. */
interface List {
  readonly items?: readonly unknown[] | null;
  readonly metadata: { readonly remainingItemCount?: number; readonly continue?: string };
}

function seenObject({ name }: Side, object: KubeObject): unknown {
  const { metadata, apiVersion: _, kind: __, ...rest } = object;
  const { uid, resourceVersion, generation, annotations, labels, managedFields = [] } = metadata;
  return {
    ...rest,
    name: metadata.name,
    uid: uid && name(uid, 'uid'),
    version: resourceVersion && name(resourceVersion, 'version'),
    generation,
    labels,
    annotations: Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith('vexil.dev/')),
    managers: managedFields
      .map(({ manager, operation, subresource, fieldsV1 }) => ({
        ...{ manager, operation, subresource },
        fields: JSON.stringify(asOwned(fieldsV1, operation === 'Apply')),
      }))
      .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  };
}

/**
 * Left out is the ownership of stamps, that of lists, whose items the model does not tell apart, and that of the
 * existence of maps that were applied, which depends on the schema.
 */
function asOwned(fields: FieldSet, isApplied: boolean): FieldSet {
  const members = Object.entries(fields)
    .filter(([field]) => (field === '.' ? !isApplied : !LEFT_OUT.has(field)))
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([field, below]): [string, FieldSet] => [field, asOwned(below, isApplied)])
    .filter(([field, below]) => field !== 'f:metadata' || Object.keys(below).length > 0);
  const isAlone = members.length === 1 && members[0]?.[0] === '.';
  return isAlone ? {} : Object.fromEntries(members);
}

test.each(Array.from({ length: SCRIPTS }, (_, index) => index + 1))('script %i', async (seed) => {
  const transport = connect(config);
  const sides = { model: modelSide(), real: await realSide(transport) };
  const script = aScript(seed, STEPS);
  for (const [index, step] of script.entries()) {
    const model = await observe(sides.model, step);
    const real = await observe(sides.real, step);
    expect(model, `step ${index}: ${step.what}`).toEqual(real);
  }
  const { model, real } = sides;
  await waitUntil({ what: 'all frames have come' }, () => real.frames.length >= model.frames.length);
  const framesOf = (side: Side) => side.frames.map(({ type, object }) => [type, seen(side, object)]);
  expect(framesOf(model)).toEqual(framesOf(real));
  transport.close();
});
