/** Writes to a flag at the API server itself, as kubectl or a GitOps controller would. */

import { isAppError } from '../../../src/errors.ts';
import { refusalOf } from '../../../src/kube/errors.ts';
import { resourcePath } from '../../../src/kube/paths.ts';
import type { Call, Transport } from '../../../src/kube/transport.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { API_VERSION } from '../../../src/schema/kind.ts';
import type { Result } from './admin-doors.ts';
import { fieldsOf, specOf, withRemovals } from './fields.ts';
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
  const path = resourcePath(featureFlag, namespace, planned.flag);
  const query = { fieldManager: planned.writer, ...(planned.dryRun && { dryRun: 'All' }) };
  let over: string | undefined;
  try {
    const before = planned.door === 'replace' ? await readFlag(transport, path) : undefined;
    over = before?.metadata.resourceVersion;
    const call = before ? replaceWith(before, planned) : patchOf(planned);
    const after = (await transport.request({ path, ...call, query: { ...query, ...call.query } })) as Flag;
    return {
      outcome: { type: 'acknowledged' },
      answered: fieldsOf(after.spec),
      ...(!planned.dryRun && { version: after.metadata.resourceVersion }),
      ...(over !== undefined && { over }),
    };
  } catch (error) {
    return { ...failed(error), ...(over !== undefined && { over }) };
  }
}

/** Asks the API server for a flag as it is now. */
export async function readFlag(transport: Transport, path: string): Promise<Flag> {
  return (await transport.request({ method: 'GET', path })) as Flag;
}

type Write = Pick<Call, 'method' | 'body' | 'query' | 'contentType'>;

function patchOf({ door, flag, writes, force, id }: PlannedOperation): Write {
  const spec = specOf(door === 'merge' && id % 2 === 0 ? withRemovals(writes) : writes);
  if (door === 'merge') return { method: 'PATCH', body: { spec }, contentType: 'application/merge-patch+json' };
  return {
    method: 'PATCH',
    body: { apiVersion: API_VERSION, kind: featureFlag.kind, metadata: { name: flag }, spec },
    query: { force },
    contentType: 'application/apply-patch+yaml',
  };
}

/** What an editor does: the whole object goes back with the version that was read. */
function replaceWith(before: Flag, { writes }: PlannedOperation): Write {
  const present = Object.entries(fieldsOf(before.spec)).filter(([, text]) => text !== 'null');
  return { method: 'PUT', body: { ...before, spec: specOf({ ...Object.fromEntries(present), ...writes }) } };
}

function failed(error: unknown): Result {
  if (!isAppError(error)) throw error;
  const refusal = refusalOf(error);
  if (refusal === undefined || refusal.status >= 500) return { outcome: { type: 'unknown', reason: error.message } };
  return { outcome: { type: 'refused', status: refusal.status, reason: refusal.reason ?? error.code } };
}
