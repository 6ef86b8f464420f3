/** Writes to a flag at the API server, as kubectl or a GitOps controller does. */

import { isClusterError } from '../../../src/errors.ts';
import { resourcePath } from '../../../src/kube/api/paths.ts';
import type { Call, Transport } from '../../../src/kube/api/transport.ts';
import { API_VERSION } from '../../../src/model/kind.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import type { Result } from './admin-writes.ts';
import { fieldsOf, specOf, withRemovals } from './fields.ts';
import { newSpecOf, objectNameOf } from './life.ts';
import type { PlannedOperation } from './plan.ts';

export interface FlagPlace {
  readonly transport: Transport;
  readonly namespace: string;
}

interface Flag {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: object;
}

/** Each writer is a field manager of its own. */
export async function writeToCluster({ transport, namespace }: FlagPlace, planned: PlannedOperation): Promise<Result> {
  const path = pathOfFlag(namespace, planned.flag);
  const query = { fieldManager: planned.writer, ...(planned.dryRun && { dryRun: 'All' }) };
  const asked = planned.expected && { expected: planned.expected };
  let over: string | undefined;
  try {
    const before = planned.entryPoint === 'replace' ? await readFlag(transport, path) : undefined;
    over = before?.metadata.resourceVersion;
    const call = before ? replaceWith(before, planned) : writeOf(planned, namespace);
    const after = await transport.request({ path, ...call, query: { ...query, ...call.query } });
    return { ...acknowledged(planned, after as Flag), ...asked, ...(over !== undefined && { over }) };
  } catch (error) {
    return { ...failed(error), ...asked, ...(over !== undefined && { over }) };
  }
}

/** The answer to a deletion is a Status, which shows no flag. */
function acknowledged({ entryPoint, dryRun }: PlannedOperation, { spec, metadata }: Flag): Result {
  const outcome = { type: 'acknowledged' } as const;
  if (entryPoint === 'kubectl-delete') return { outcome };
  return { outcome, answered: fieldsOf(spec), ...(!dryRun && { version: metadata.resourceVersion }) };
}

export function pathOfFlag(namespace: string, flag: string): string {
  return resourcePath(featureFlag, namespace, objectNameOf(flag));
}

/** Reads a flag from the API server. */
export async function readFlag(transport: Transport, path: string): Promise<Flag> {
  return (await transport.request({ method: 'GET', path })) as Flag;
}

type Write = Pick<Call, 'method' | 'body' | 'query' | 'contentType'> & Partial<Pick<Call, 'path'>>;

function writeOf(planned: PlannedOperation, namespace: string): Write {
  const { entryPoint, flag, writes } = planned;
  if (entryPoint === 'kubectl-delete') return { method: 'DELETE' };
  if (entryPoint !== 'kubectl-create') return patchOf(planned);
  const description = JSON.parse(writes['description'] ?? 'null') as unknown;
  const metadata = { name: objectNameOf(flag), namespace };
  const body = { apiVersion: API_VERSION, kind: featureFlag.kind, metadata, spec: { ...newSpecOf(flag), description } };
  return { method: 'POST', path: resourcePath(featureFlag, namespace), body };
}

function patchOf({ entryPoint, flag, writes, force, id }: PlannedOperation): Write {
  const spec = specOf(entryPoint === 'merge' && id % 2 === 0 ? withRemovals(writes) : writes);
  if (entryPoint === 'merge') return { method: 'PATCH', body: { spec }, contentType: 'application/merge-patch+json' };
  return {
    method: 'PATCH',
    body: { apiVersion: API_VERSION, kind: featureFlag.kind, metadata: { name: flag }, spec },
    query: { force },
    contentType: 'application/apply-patch+yaml',
  };
}

/** Replaces the object as an editor does: the whole object is sent with the version that was read. */
function replaceWith(before: Flag, { writes }: PlannedOperation): Write {
  const present = Object.entries(fieldsOf(before.spec)).filter(([, text]) => text !== 'null');
  return { method: 'PUT', body: { ...before, spec: specOf({ ...Object.fromEntries(present), ...writes }) } };
}

function failed(error: unknown): Result {
  if (!isClusterError(error)) throw error;
  const { answer } = error;
  if (answer === undefined || answer.status >= 500) return { outcome: { type: 'unknown', reason: error.message } };
  return { outcome: { type: 'refused', status: answer.status, reason: answer.reason ?? error.code } };
}
