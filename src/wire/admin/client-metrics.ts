/** The evaluations of a flag on the wire, as Unleash's client metrics. */
import { z } from 'zod';
import { wireNatural } from './fields.ts';
import { wholeNumber } from './query.ts';
import { wireTime } from './timestamp.ts';

const HOUR_MS = 3_600_000;
/** Up to this number of hours, evaluations are shown by hour; above it, by day. */
const MAX_HOURS = 48;
const MAX_HOURS_BACK = 9600;
const MAX_APPLICATIONS = 100;
const MAX_ROWS = 50_000;

export const rawQuery = z.object({
  hoursBack: wholeNumber(
    { least: 1, most: MAX_HOURS_BACK, fallback: 24 },
    `The number of hours to answer. Above ${MAX_HOURS}, each item is a day (UTC)`,
  ),
});

const head = { version: z.literal(1), maturity: z.literal('stable') };
const featureName = z.string().meta({ examples: ['one-page-checkout'] });
const environment = z.string().meta({ examples: ['production'] });
const appName = z.string().meta({ examples: ['shop'] });
const count = wireNatural.meta({ examples: [12] });
const inEnvironment = z.object({ environment, timestamp: wireTime, yes: count, no: count });

export const wireFeatureUsage = z
  .object({
    ...head,
    featureName,
    lastHourUsage: z
      .array(inEnvironment)
      .meta({ description: 'The usage in this hour and the previous one, by environment.' }),
    seenApplications: z.array(appName).meta({ description: 'The applications that asked in the last 24 hours.' }),
  })
  .meta({ id: 'FeatureUsage' });

export const wireRawUsage = z
  .object({
    ...head,
    data: z
      .array(
        inEnvironment.extend({
          featureName,
          appName,
          variants: z
            .record(z.string(), count)
            .optional()
            .meta({ description: 'Evaluations by variant; absent: none.' }),
        }),
      )
      .meta({
        description: `Sorted by time, environment and application, with zeros for the hours or days in which an application did not ask. At most ${MAX_APPLICATIONS} applications: the ones with the most evaluations.`,
      }),
  })
  .meta({ id: 'RawFeatureUsage' });

/** One application in one environment within an hour or a day; times in ms since 1970. */
interface Counted {
  readonly environment: string;
  readonly appName: string;
  readonly at: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
}

export interface RawSpan {
  readonly grain: 'hour' | 'day';
  /** The start of the first hour or day. */
  readonly since: number;
  /** The starts of all hours or days, in order. */
  readonly starts: readonly number[];
}

/** `now` in ms since 1970. */
export function spanOf(hoursBack: number, now: number): RawSpan {
  const isDaily = hoursBack > MAX_HOURS;
  const step = isDaily ? 24 * HOUR_MS : HOUR_MS;
  const steps = isDaily ? Math.ceil(hoursBack / 24) : hoursBack;
  const last = now - (now % step);
  const starts = Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * step);
  return { grain: isDaily ? 'day' : 'hour', since: starts[0] ?? last, starts };
}

export function presentRawUsage(featureName: string, rows: readonly Counted[], { starts }: RawSpan) {
  const known = new Map(rows.map((row) => [keyOf(row.at, row), row]));
  const places = placesIn(rows, starts.length);
  const data = starts.flatMap((at) =>
    places.map((place) => {
      const { yes = 0, no = 0, variants = {} } = known.get(keyOf(at, place)) ?? {};
      const { environment, appName } = place;
      const counts = { timestamp: new Date(at).toISOString(), yes, no };
      return { featureName, appName, environment, ...counts, ...(Object.keys(variants).length > 0 && { variants }) };
    }),
  );
  return { version: 1, maturity: 'stable', data };
}

type UsagePlace = Pick<Counted, 'environment' | 'appName'>;

function keyOf(at: number, { environment, appName }: UsagePlace): string {
  return JSON.stringify([at, environment, appName]);
}

/** The environments and applications in the order of the rows. */
function placesIn(rows: readonly Counted[], steps: number): readonly UsagePlace[] {
  const sums = new Map<string, number>();
  for (const { appName, yes, no } of rows) sums.set(appName, (sums.get(appName) ?? 0) + yes + no);
  const most = [...sums].sort(([, one], [, other]) => other - one).slice(0, MAX_APPLICATIONS);
  const wanted = new Set(most.map(([appName]) => appName));
  const places = new Map<string, UsagePlace>();
  for (const { environment, appName } of rows) {
    if (wanted.has(appName)) places.set(JSON.stringify([environment, appName]), { environment, appName });
  }
  const inOrder = [...places].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, place]) => place);
  return inOrder.slice(0, Math.floor(MAX_ROWS / steps));
}

interface LastHour {
  readonly featureName: string;
  /** The counts by environment. */
  readonly lastHour: ReadonlyMap<string, { readonly yes: number; readonly no: number }>;
  readonly appNames: readonly string[];
  /** Ms since 1970. */
  readonly now: number;
}

export function presentFeatureUsage({ featureName, lastHour, appNames, now }: LastHour) {
  const timestamp = new Date(now - (now % HOUR_MS) - HOUR_MS).toISOString();
  return {
    version: 1,
    maturity: 'stable',
    featureName,
    lastHourUsage: [...lastHour].map(([environment, { yes, no }]) => ({ environment, timestamp, yes, no })),
    seenApplications: [...new Set(appNames)].sort(),
  };
}
