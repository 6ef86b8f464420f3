/** Reads the stored usage of flags. */
import { sql } from 'kysely';
import { inChunks } from '../audit/archive/sql.ts';
import type { Db } from '../audit/archive/tables.ts';
import { NEVER_FIRST, usageGrains } from '../audit/archive/usage-tables.ts';
import { compareText } from '../domain/identity/names.ts';
import { DAY_MS } from '../model/clock.ts';
import { HOUR_MS } from './counters.ts';
import type { CountRow, CountsQuery, EdgeName, EvaluationCounts, FlagUsage, Sighting } from './usage.ts';

const MAX_ROWS = 50_000;
const UIDS_PER_STATEMENT = 1_000;

/** Without the cast, sums of PostgreSQL would be text. */
const sumOf = (column: 'yes' | 'no') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

export async function readCounts(db: Db, flagUid: string, { grain, since }: CountsQuery): Promise<readonly CountRow[]> {
  const stored = await db
    .selectFrom('usage_counts')
    .select(['at', 'environment', 'app', 'variant', 'yes', 'no'])
    .where('uid', '=', flagUid)
    .where('grain', '=', usageGrains[grain])
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const byPlace = Map.groupBy(stored, ({ at, environment, app }) => `${at}\n${environment}\n${app}`);
  const rows = [...byPlace.values()].flatMap((group): CountRow[] => {
    const total = group.find(({ variant }) => variant === '');
    if (total === undefined) return [];
    const { environment, app: appName, at, yes, no } = total;
    const variants = group.filter(({ variant }) => variant !== '').map((row) => [row.variant, row.yes] as const);
    return [{ environment, appName, at, yes, no, variants: Object.fromEntries(variants) }];
  });
  return rows.sort(
    (a, b) => a.at - b.at || compareText(a.environment, b.environment) || compareText(a.appName, b.appName),
  );
}

export async function readSightings(
  db: Db,
  flagUids: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, readonly Sighting[]>> {
  const found = new Map<string, Sighting[]>();
  for (const some of inChunks(flagUids, UIDS_PER_STATEMENT)) {
    const rows = await db
      .selectFrom('usage_seen')
      .select(['uid', 'environment', 'app', 'first_at', 'last_at'])
      .where('uid', 'in', some)
      .where('last_at', '>=', since)
      .execute();
    for (const { uid, environment, app: appName, first_at: firstAt, last_at: lastAt } of rows) {
      found.set(uid, [...(found.get(uid) ?? []), { environment, appName, firstAt, lastAt }]);
    }
  }
  for (const sightings of found.values()) {
    sightings.sort((a, b) => compareText(a.environment, b.environment) || compareText(a.appName, b.appName));
  }
  return found;
}

/** The summaries by flag; the environments of each are in order. */
export async function readSummaries(
  db: Db,
  flagUids: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, readonly FlagUsage[]>> {
  const found = new Map<string, readonly FlagUsage[]>();
  for (const some of inChunks(flagUids, UIDS_PER_STATEMENT)) {
    const places = Map.groupBy(await readPlaces(db, some), ({ uid }) => uid);
    const sightings = await readSightings(db, some, since);
    const days = Map.groupBy(await readDays(db, some, since), ({ uid, environment }) => `${uid}\n${environment}`);
    for (const [uid, rows] of places) {
      const appsOf = Map.groupBy(sightings.get(uid) ?? [], ({ environment }) => environment);
      const usage = rows.map((row) => ({
        ...usageOf(row),
        appNames: (appsOf.get(row.environment) ?? []).map(({ appName }) => appName),
        days: (days.get(`${uid}\n${row.environment}`) ?? []).map(({ at, yes, no }) => ({ at, yes, no })),
      }));
      found.set(
        uid,
        usage.sort((a, b) => compareText(a.environment, b.environment)),
      );
    }
  }
  return found;
}

function readPlaces(db: Db, flagUids: readonly string[]) {
  return db
    .selectFrom('usage_seen')
    .select(({ fn }) => [
      'uid',
      'environment',
      fn.min('first_at').as('firstAt'),
      fn.max('last_at').as('lastAt'),
      fn.min('first_yes_at').as('firstYesAt'),
      fn.max('last_yes_at').as('lastYesAt'),
      fn.min('first_no_at').as('firstNoAt'),
      fn.max('last_no_at').as('lastNoAt'),
    ])
    .where('uid', 'in', flagUids)
    .groupBy(['uid', 'environment'])
    .execute();
}

type UsagePlace = Awaited<ReturnType<typeof readPlaces>>[number];

function usageOf({ environment, firstAt, lastAt, ...times }: UsagePlace): Omit<FlagUsage, 'appNames' | 'days'> {
  const firstOf = (time: number) => (time === NEVER_FIRST ? undefined : time);
  const lastOf = (time: number) => (time === 0 ? undefined : time);
  return {
    ...{ environment, firstAt, lastAt },
    ...{ firstYesAt: firstOf(times.firstYesAt), lastYesAt: lastOf(times.lastYesAt) },
    ...{ firstNoAt: firstOf(times.firstNoAt), lastNoAt: lastOf(times.lastNoAt) },
  };
}

function readDays(db: Db, flagUids: readonly string[], since: number) {
  return db
    .selectFrom('usage_counts')
    .select(['uid', 'environment', 'at', sumOf('yes').as('yes'), sumOf('no').as('no')])
    .where('uid', 'in', flagUids)
    .where('grain', '=', usageGrains.day)
    .where('at', '>=', since - (since % DAY_MS))
    .where('variant', '=', '')
    .groupBy(['uid', 'environment', 'at'])
    .orderBy('at')
    .execute();
}

const MAX_PLACES = 100_000;

export interface PlaceSeen {
  readonly uid: string;
  readonly environment: string;
  readonly lastAt: number;
  /** The edge of the last report; undefined: none. */
  readonly via: EdgeName | undefined;
}

/** The times at which flags were last seen, if they were seen since the given time; the newest. */
export async function readLastSeen(db: Db, since: number): Promise<readonly PlaceSeen[]> {
  const latestFirst = sql<number>`row_number() over (partition by uid, environment order by last_at desc, app)`;
  const rows = await db
    .selectFrom((of) =>
      of
        .selectFrom('usage_seen')
        .select(['uid', 'environment', 'last_at as lastAt', 'edge', 'instance', latestFirst.as('place')])
        .where('last_at', '>=', since)
        .as('seen'),
    )
    .select(['uid', 'environment', 'lastAt', 'edge', 'instance'])
    .where('place', '=', 1)
    .orderBy('lastAt', 'desc')
    .limit(MAX_PLACES)
    .execute();
  // Many flags are seen through few edges.
  const names = new Map<string, EdgeName>();
  return rows.map(({ uid, environment, lastAt, edge: appName, instance: instanceId }) => {
    const key = `${appName}\n${instanceId}`;
    const via = instanceId === '' ? undefined : (names.get(key) ?? { appName, instanceId });
    if (via) names.set(key, via);
    return { uid, environment, lastAt, via };
  });
}

type RecentRow = EvaluationCounts & { readonly uid: string; readonly environment: string };

/** The evaluations of all flags in the last full hour and the present one. */
export function readRecent(db: Db, now: number): Promise<readonly RecentRow[]> {
  return recent(db, now).limit(MAX_PLACES).execute();
}

/** The same of one flag, by environment. */
export async function readLastHour(
  db: Db,
  flagUid: string,
  now: number,
): Promise<ReadonlyMap<string, EvaluationCounts>> {
  const rows = await recent(db, now).where('uid', '=', flagUid).orderBy('environment').execute();
  return new Map(rows.map(({ environment, yes, no }) => [environment, { yes, no }]));
}

function recent(db: Db, now: number) {
  return db
    .selectFrom('usage_counts')
    .select(['uid', 'environment', sumOf('yes').as('yes'), sumOf('no').as('no')])
    .where('grain', '=', usageGrains.hour)
    .where('at', '>=', now - (now % HOUR_MS) - HOUR_MS)
    .where('variant', '=', '')
    .groupBy(['uid', 'environment']);
}
