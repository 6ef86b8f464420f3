/** If-Match: a write is done only on the version that the caller has seen. */
import { AppError } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Pages } from './pages.ts';
import { isPresent } from './representation.ts';

/** Compares with what GET of the flag would answer; asked of every version that a write is computed from. */
export function ifPresent(ifMatch: string | undefined, pages: Pages): (flag: FeatureFlag) => void {
  return (flag) => {
    if (ifMatch === undefined || isPresent(ifMatch, pages.flag(flag))) return;
    const message = `The flag has changed: If-Match was ${ifMatch.slice(0, 200)}, its ETag is ${pages.flag(flag).etag}. Read it again.`;
    throw new AppError('precondition-failed', message);
  };
}
