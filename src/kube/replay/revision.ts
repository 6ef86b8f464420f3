/** Revisions of etcd. */
import { ClusterError } from '../../errors.ts';

/** Whether a resourceVersion can be a revision of etcd, which has 63 bits. */
export function isRevision(version: string): boolean {
  return /^[0-9]{1,18}$/.test(version);
}

/** Parses a resourceVersion as the revision of etcd that it is: revisions are consecutive. */
export function revisionOf(version: string): bigint {
  if (isRevision(version)) return BigInt(version);
  throw new ClusterError('invalid', `The resourceVersion ${JSON.stringify(version)} is not a revision of etcd`);
}
