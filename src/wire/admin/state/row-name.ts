/** What a row of a state document is about, for people who do not count rows. */
import { aboutFlag } from '../../../domain/state/wanted.ts';
import { type ErrorDetail, isRefusal } from '../../../errors.ts';
import { invalid } from '../../../model/invalid-input.ts';
import { isRecord } from '../../../model/json.ts';

const OF_FLAGS: readonly string[] = ['features', 'featureStrategies', 'featureEnvironments', 'featureTags'];

/** Returns `flag checkout in production`; undefined if the row is about no flag, or does not say which. */
export function rowName(section: string, row: unknown): string | undefined {
  if (!OF_FLAGS.includes(section) || !isRecord(row)) return undefined;
  const { name, featureName = section === 'features' ? name : undefined, environment } = row;
  if (typeof featureName !== 'string') return undefined;
  return aboutFlag(featureName, typeof environment === 'string' ? environment : undefined);
}

/** Adds the names of rows to an error about input; other errors stay. */
export function withRowNames(error: unknown, rowAt: (section: string, index: number) => unknown): unknown {
  if (!isRefusal(error, 'invalid')) return error;
  return invalid(error.details.map((detail) => namedDetail(detail, rowAt)));
}

function namedDetail(detail: ErrorDetail, rowAt: (section: string, index: number) => unknown): ErrorDetail {
  if (!('complaint' in detail)) return detail;
  const [section = '', index = ''] = detail.keys;
  const of = rowName(section, rowAt(section, Number(index)));
  return of === undefined ? detail : { ...detail, of };
}
