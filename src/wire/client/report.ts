/** Reports of SDKs, read as far as possible, because SDKs stop reporting after one refusal. */
import { z } from 'zod';
import { isRecord } from '../../model/json.ts';

export interface Counts {
  readonly yes: number;
  readonly no: number;
}

const anything = z.unknown();

export const registration = z
  .looseObject({})
  .meta({ description: 'The registration of an SDK: `appName`, `sdkVersion`, `strategies`, `started`, `interval`.' });

export const metricsReport = z
  .looseObject({
    bucket: anything.optional().meta({
      description:
        'The time from `start` to `stop`; in `toggles`, for each flag `yes`, `no` and `variants`. Absent: nothing was counted.',
    }),
  })
  .meta({ description: 'The number of evaluations of each flag by the SDK.' });

export const bulkReport = z
  .looseObject({
    metrics: anything.optional().meta({
      description:
        'A list with `featureName`, `environment`, `yes` and `no`. Other environments than that of the token are ignored.',
    }),
  })
  .meta({ description: 'The reports that Unleash Edge has collected from its SDKs.' });

/** The sum over all flags. */
export function countsOf({ bucket }: z.infer<typeof metricsReport>): Counts {
  const toggles = isRecord(bucket) && isRecord(bucket['toggles']) ? bucket['toggles'] : {};
  return sum(Object.values(toggles));
}

/** The sum over the entries of the environment. */
export function countsOfBulk({ metrics }: z.infer<typeof bulkReport>, environment: string): Counts {
  const entries = Array.isArray(metrics) ? metrics : [];
  return sum(entries.filter((entry) => isRecord(entry) && entry['environment'] === environment));
}

function sum(entries: readonly unknown[]): Counts {
  const add = (member: 'yes' | 'no') =>
    entries.reduce<number>((total, entry) => total + (isRecord(entry) ? countIn(entry[member]) : 0), 0);
  return { yes: add('yes'), no: add('no') };
}

function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
