/** If-Match: a write applies only to the version that the caller has seen. */
import type { WrittenObject } from '../../actions/services.ts';
import { Refusal } from '../../errors.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import type { Pages } from '../pages/response-cache.ts';
import { isPresent, represent, type Tagged } from '../server/answer/representation.ts';
import { manifestsAfter } from './manifest.ts';

/** `seen` are the answers of GET that show what is written; the caller may have read any of them. */
export function ifSeen<T>(
  ifMatch: string | undefined,
  what: string,
  seen: (object: T) => readonly Tagged[],
): (object: T) => void {
  return (object) => {
    if (ifMatch === undefined) return;
    const present = seen(object);
    if (present.some((one) => isPresent(ifMatch, one))) return;
    const etags = present.map(({ etag }) => etag).join(' or ');
    const message = `The ${what} has changed: If-Match was ${ifMatch.slice(0, 200)}, its ETag is ${etags}. Read it again.`;
    throw new Refusal('precondition-failed', message);
  };
}

/**
 * Compares with the answer of GET of the flag, as JSON or as a manifest, or of GET of the written `part`. Called with
 * every version that a write is computed from.
 */
export function ifPresent(
  ifMatch: string | undefined,
  pages: Pages,
  part?: (flag: FeatureFlag) => unknown,
): (flag: FeatureFlag) => void {
  return ifSeen(ifMatch, 'flag', (flag) => {
    const shown = [...(part ? [represent(part(flag))] : []), pages.flag(flag)];
    return orManifest(ifMatch, shown, { kind: featureFlag.kind, object: flag });
  });
}

/** The manifest is made only if it decides: most callers have read JSON. */
export function orManifest(
  ifMatch: string | undefined,
  shown: readonly Tagged[],
  written: WrittenObject,
): readonly Tagged[] {
  const isShown = ifMatch === undefined || shown.some((one) => isPresent(ifMatch, one));
  return isShown ? shown : [...shown, manifestsAfter([written])];
}
