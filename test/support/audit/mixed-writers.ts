/**
 * Writers through every API: the admin API, merge patches as kubectl makes them, server-side apply, creations and
 * deletions.
 */

import { isClusterError } from '../../../src/errors.ts';
import type { Transport } from '../../../src/kube/api/transport.ts';
import { seededRandom } from '../../../src/model/seeded-random.ts';
import type { Call } from '../admin-client.ts';

export interface MixedWriters {
  readonly namespace: string;
  /** Existing flags with strategies in `production`. */
  readonly flags: readonly string[];
  /** Connects to the API server, as a user whom the author policy records. */
  readonly transport: Transport;
  /** Calls the operator that runs at the moment; undefined if none runs. */
  readonly call: () => Call | undefined;
  readonly seed: number;
  readonly changes: number;
  /** Called after each change. The writer waits for the returned promise, and the others continue. */
  readonly onChange: (made: number) => Promise<void> | undefined;
}

const WRITERS = 6;

/** Resolves when that many changes were acknowledged. */
export async function writeMixed(parts: MixedWriters): Promise<void> {
  let made = 0;
  const work = async (writer: number): Promise<void> => {
    const random = seededRandom(parts.seed * 1000 + writer);
    for (let turn = 0; made < parts.changes; turn += 1) {
      const isMade = await changeSomething(parts, { writer, turn, random });
      if (!isMade) continue;
      made += 1;
      await parts.onChange(made);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
}

interface Turn {
  readonly writer: number;
  readonly turn: number;
  readonly random: () => number;
}

const entryPoints = [
  describeByApi,
  switchByApi,
  comeAndGoByApi,
  mergeDescription,
  mergeStale,
  applyTags,
  applyTitle,
  createAndDelete,
];

async function changeSomething(parts: MixedWriters, turn: Turn): Promise<boolean> {
  const entryPoint = entryPoints[Math.floor(turn.random() * entryPoints.length)] ?? describeByApi;
  const flag = parts.flags[Math.floor(turn.random() * parts.flags.length)] ?? '';
  return entryPoint(parts, flag, turn);
}

/** Another writer may be faster, or the operator may not answer: the watches show whether the change was made. */
async function byApi({ call }: MixedWriters, request: string, body?: unknown): Promise<boolean> {
  const answer = await call()?.(request, body === undefined ? {} : { body }).catch(() => undefined);
  return answer !== undefined && answer.status < 300;
}

const textOf = ({ writer, turn }: Turn) => `by writer ${writer}, turn ${turn}`;

function describeByApi(parts: MixedWriters, flag: string, turn: Turn): Promise<boolean> {
  return byApi(parts, `PATCH /projects/shop/features/${flag}`, [
    { op: 'replace', path: '/description', value: textOf(turn) },
  ]);
}

function switchByApi(parts: MixedWriters, flag: string, { random }: Turn): Promise<boolean> {
  return byApi(parts, `POST /projects/shop/features/${flag}/environments/production/${random() < 0.5 ? 'on' : 'off'}`);
}

/** Creates and deletes a flag that only this writer uses. */
async function comeAndGoByApi(parts: MixedWriters, _: string, { writer, turn }: Turn): Promise<boolean> {
  const name = `api-${writer}-${turn}`;
  if (!(await byApi(parts, 'POST /projects/shop/features', { name }))) return false;
  await byApi(parts, `DELETE /projects/shop/features/${name}`);
  return byApi(parts, `DELETE /archive/${name}`);
}

async function byCluster(parts: MixedWriters, call: Parameters<Transport['request']>[0]): Promise<boolean> {
  try {
    await parts.transport.request(call);
    return true;
  } catch (error) {
    if (isClusterError(error, 'conflict', 'not-found')) return false;
    throw error;
  }
}

const pathOf = ({ namespace }: MixedWriters, flag = '') =>
  `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags${flag === '' ? '' : `/${flag}`}`;

function merge(parts: MixedWriters, flag: string, spec: object): Promise<boolean> {
  const contentType = 'application/merge-patch+json';
  return byCluster(parts, { method: 'PATCH', path: pathOf(parts, flag), contentType, body: { spec } });
}

function mergeDescription(parts: MixedWriters, flag: string, turn: Turn): Promise<boolean> {
  return merge(parts, flag, { description: textOf(turn) });
}

function mergeStale(parts: MixedWriters, flag: string, { random }: Turn): Promise<boolean> {
  return merge(parts, flag, { stale: random() < 0.5 });
}

function apply(
  parts: MixedWriters,
  flag: string,
  { manager, spec }: { manager: string; spec: object },
): Promise<boolean> {
  const body = { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', metadata: { name: flag }, spec };
  const query = { fieldManager: manager, force: true };
  return byCluster(parts, {
    method: 'PATCH',
    path: pathOf(parts, flag),
    query,
    contentType: 'application/apply-patch+yaml',
    body,
  });
}

function applyTags(parts: MixedWriters, flag: string, { random }: Turn): Promise<boolean> {
  const tags = ['simple:one', 'simple:two', 'simple:three'].filter(() => random() < 0.5);
  return apply(parts, flag, { manager: 'tagger', spec: { tags } });
}

function applyTitle(parts: MixedWriters, flag: string, turn: Turn): Promise<boolean> {
  const strategies = { everyone: { name: 'default', title: textOf(turn) } };
  return apply(parts, flag, { manager: 'titler', spec: { environments: { production: { strategies } } } });
}

async function createAndDelete(parts: MixedWriters, _: string, { writer, turn, random }: Turn): Promise<boolean> {
  const name = `short-${writer}-${turn}`;
  const body = { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', metadata: { name }, spec: { project: 'shop' } };
  await byCluster(parts, { method: 'POST', path: pathOf(parts), body });
  if (random() < 0.5) await merge(parts, name, { description: 'not for long' });
  return byCluster(parts, { method: 'DELETE', path: pathOf(parts, name) });
}
