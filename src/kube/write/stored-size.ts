/** The size of objects in etcd, which a dry run of the API server does not reach. */
import { ClusterError } from '../../errors.ts';
import { cutDeep } from '../../model/depth.ts';
import { isRecord, recordOf } from '../../model/json.ts';

/** What etcd accepts for one request by default (`--max-request-bytes`). */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
/** Of a request, what is neither the object nor its names: `/registry/vexil.dev/featureflags//` three times. */
const AROUND = 149;
const KEYS = 3;
/** The API server stores each of these characters as an escape of six bytes. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * Throws a ClusterError if etcd refuses the object that a dry run has answered. `before` is the stored object or its
 * spec, if there is one: a cluster that has stored such a large one accepts more than by default.
 */
export function refuseBeyondEtcd(after: unknown, before?: unknown): void {
  const bytes = requestBytes(after);
  if (bytes <= MAX_REQUEST_BYTES || requestBytes(before) > MAX_REQUEST_BYTES) return;
  const limit = `etcd accepts ${MAX_REQUEST_BYTES} by default: make it smaller`;
  throw new ClusterError('too-large', `The object has ${bytes} bytes as the API server stores it, and ${limit}`);
}

function requestBytes(object: unknown): number {
  if (!isRecord(object)) return 0;
  const { metadata, ...rest } = object;
  // A resourceVersion is not stored.
  const { resourceVersion: _, ...stored } = recordOf(metadata);
  const text = JSON.stringify(cutDeep({ ...rest, metadata: stored })).replace(ESCAPED, '\\u0000');
  const names = String(stored['namespace'] ?? '').length + String(stored['name'] ?? '').length;
  return Buffer.byteLength(text) + KEYS * names + AROUND;
}
