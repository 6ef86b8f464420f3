/** The version of the client specification that an SDK states in the header `Unleash-Client-Spec`. */
import { comparePrecedence, parseVersion, type Version } from '../../evaluation/semantic-version.ts';

const WITH_SEGMENTS: Version = { core: ['4', '2', '0'], preRelease: [] };

/** If the header is absent or not a version, the SDK gets the form without segments, which every SDK can read. */
export function knowsSegments(clientSpec: string | undefined): boolean {
  const version = parseVersion(clientSpec ?? '');
  return version !== undefined && comparePrecedence(version, WITH_SEGMENTS) >= 0;
}
