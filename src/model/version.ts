/** Compares resourceVersions. */

const DECIMAL = /^(0|[1-9][0-9]*)$/;

/**
 * Compares two resourceVersions of one resource; undefined if they differ and one of them is not a decimal number.
 *
 * Kubernetes guarantees decimal strings of any length for its own resources (KEP-5504), so the longer one is greater.
 */
export function compareVersions(left: string, right: string): -1 | 0 | 1 | undefined {
  if (left === right) return 0;
  if (!DECIMAL.test(left) || !DECIMAL.test(right)) return undefined;
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  return left < right ? -1 : 1;
}

/**
 * True when `version` is known to be `limit` or older.
 *
 * False for versions that cannot be compared, as is `isAbove`: callers then accept the latest event, so that a server
 * with opaque versions does not freeze the cache.
 */
export function isAtMost(version: string, limit: string | undefined): boolean {
  if (limit === undefined) return false;
  const order = compareVersions(version, limit);
  return order !== undefined && order <= 0;
}

/** True when `version` is known to be newer than `limit`. */
export function isAbove(version: string, limit: string): boolean {
  return compareVersions(version, limit) === 1;
}
