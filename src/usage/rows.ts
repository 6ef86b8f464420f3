/** Makes the rows of the database from counters, in the order of their keys. */

import type { Insertable } from 'kysely';
import { NEVER_FIRST, type UsageTables, usageGrains } from '../audit/archive/usage-tables.ts';
import { compareText } from '../domain/identity/names.ts';
import { DAY_MS } from '../model/clock.ts';
import type { Counter } from './counters.ts';

export type CountsRow = Insertable<UsageTables['usage_counts']>;
export type SeenRow = Insertable<UsageTables['usage_seen']>;

/**
 * The sums of hours and days (UTC). Each key occurs once; every process writes in the same order, so no deadlock
 * occurs.
 */
export function countsRows(counters: readonly Counter[]): readonly CountsRow[] {
  const rows = new Map<string, CountsRow & { yes: number; no: number }>();
  const add = (row: CountsRow & { yes: number; no: number }) => {
    const key = `${row.uid}\n${row.grain}\n${row.at}\n${row.environment}\n${row.app}\n${row.variant}`;
    const present = rows.get(key);
    if (present === undefined) rows.set(key, row);
    else Object.assign(present, { yes: present.yes + row.yes, no: present.no + row.no });
  };
  for (const { flagUid: uid, environment, appName: app, yes, no, variants, at } of counters) {
    const places = [
      { uid, environment, app, grain: usageGrains.hour, at },
      { uid, environment, app, grain: usageGrains.day, at: at - (at % DAY_MS) },
    ];
    for (const place of places) {
      add({ ...place, variant: '', yes, no });
      for (const [variant, chosen] of variants) add({ ...place, variant, yes: chosen, no: 0 });
    }
  }
  return [...rows.values()].sort(
    (a, b) =>
      compareText(a.uid, b.uid) ||
      a.grain - b.grain ||
      a.at - b.at ||
      compareText(a.environment, b.environment) ||
      compareText(a.app, b.app) ||
      compareText(a.variant, b.variant),
  );
}

export function seenRows(counters: readonly Counter[]): readonly SeenRow[] {
  const rows = new Map<string, SeenRow>();
  for (const counter of counters) {
    const row = seenRow(counter);
    const key = `${row.uid}\n${row.environment}\n${row.app}`;
    const present = rows.get(key);
    rows.set(key, present === undefined ? row : mergeSeen(present, row));
  }
  return [...rows.values()].sort(
    (a, b) => compareText(a.uid, b.uid) || compareText(a.environment, b.environment) || compareText(a.app, b.app),
  );
}

function seenRow({ flagUid, environment, appName, via, ...times }: Counter): SeenRow {
  return {
    ...{ uid: flagUid, environment, app: appName },
    ...{ first_at: times.firstAt, last_at: times.lastAt },
    ...{ first_yes_at: times.firstYesAt ?? NEVER_FIRST, last_yes_at: times.lastYesAt ?? 0 },
    ...{ first_no_at: times.firstNoAt ?? NEVER_FIRST, last_no_at: times.lastNoAt ?? 0 },
    ...{ edge: via?.appName ?? '', instance: via?.instanceId ?? '' },
  };
}

function mergeSeen(a: SeenRow, b: SeenRow): SeenRow {
  const { edge, instance } = a.last_at > b.last_at ? a : b;
  return {
    ...a,
    ...{ edge, instance },
    first_at: Math.min(a.first_at, b.first_at),
    last_at: Math.max(a.last_at, b.last_at),
    first_yes_at: Math.min(a.first_yes_at, b.first_yes_at),
    last_yes_at: Math.max(a.last_yes_at, b.last_yes_at),
    first_no_at: Math.min(a.first_no_at, b.first_no_at),
    last_no_at: Math.max(a.last_no_at, b.last_no_at),
  };
}
