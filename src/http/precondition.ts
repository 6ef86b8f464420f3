/** If-Match: a write is done only on the version that the caller has seen. */
import { AppError } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Pages } from './pages.ts';
import { isPresent, represent } from './representation.ts';

/**
 * Compares with what GET of the flag would answer, or GET of the `part` of it that is written; asked of every version
 * that a write is computed from.
 */
export function ifPresent(
  ifMatch: string | undefined,
  pages: Pages,
  part?: (flag: FeatureFlag) => unknown,
): (flag: FeatureFlag) => void {
  return (flag) => {
    if (ifMatch === undefined) return;
    const seen = [...(part ? [represent(part(flag))] : []), pages.flag(flag)];
    if (seen.some((one) => isPresent(ifMatch, one))) return;
    const etags = seen.map(({ etag }) => etag).join(' or ');
    const message = `The flag has changed: If-Match was ${ifMatch.slice(0, 200)}, its ETag is ${etags}. Read it again.`;
    throw new AppError('precondition-failed', message);
  };
}
