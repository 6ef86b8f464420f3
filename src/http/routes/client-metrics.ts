/** /client-metrics: the evaluations of a flag that SDKs have reported. */
import type { RequestHandler } from 'express';
import { toFlagByName } from '../../access/authorization/requirements.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { RECENT_MS } from '../../domain/usage/flag-in-use.ts';
import { Refusal } from '../../errors.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import {
  presentFeatureUsage,
  presentRawUsage,
  rawQuery,
  spanOf,
  wireFeatureUsage,
  wireRawUsage,
} from '../../wire/admin/client-metrics.ts';
import { route } from '../route/route.ts';
import { flagPath } from './flag/features.ts';

const byName = flagPath.pick({ featureName: true });
const toRead = toFlagByName('get', 'NONE');

/** An archived flag keeps its numbers. */
function findNamed(catalog: Catalog, name: string): FeatureFlag {
  const flag = catalog.flag(name);
  if (!flag) throw new Refusal('not-found', `There is no flag named "${name}".`);
  return flag;
}

export const clientMetricsRoutes = [
  route({
    method: 'get',
    path: '/client-metrics/features/:featureName',
    summary: 'Read the evaluations of the last hour of a flag, and the applications that asked for it.',
    description: 'Answers 503 while the database of usage cannot be reached.',
    errors: ['not-found'],
    requires: toRead,
    params: byName,
    answer: 200,
    response: wireFeatureUsage,
    handle: async ({ catalog, usage: { reader }, now }, { params: { featureName } }) => {
      const { uid } = findNamed(catalog, featureName).metadata;
      const sightings = await reader.applicationsOf([uid], now() - RECENT_MS);
      const appNames = (sightings.get(uid) ?? []).map(({ appName }) => appName);
      return presentFeatureUsage({ featureName, lastHour: await reader.lastHourOf(uid), appNames, now: now() });
    },
  }),
  route({
    method: 'get',
    path: '/client-metrics/features/:featureName/raw',
    summary: 'Read the evaluations of a flag by hour or by day.',
    description:
      'The answer is by hour for up to 48 hours back, and by day for more. Vexil keeps hours for `VEXIL_USAGE_HOURLY_RETENTION`, and days for `VEXIL_USAGE_DAILY_RETENTION`. Answers 503 while the database of usage cannot be reached.',
    errors: ['not-found'],
    requires: toRead,
    params: byName,
    query: rawQuery,
    answer: 200,
    response: wireRawUsage,
    handle: async ({ catalog, usage: { reader }, now }, { params: { featureName }, query }) => {
      const span = spanOf(query.hoursBack, now());
      const rows = await reader.countsOf(findNamed(catalog, featureName).metadata.uid, span);
      return presentRawUsage(featureName, rows, span);
    },
  }),
];

/** Paths below /api/admin: endpoints of servers before Unleash 5. */
export const RETIRED_PATHS = [
  '/metrics/seen-toggles',
  '/metrics/seen-apps',
  '/metrics/feature-toggles',
  '/metrics/feature-toggles/:featureName',
];

export const refuseRetired: RequestHandler = () => {
  const message =
    'This endpoint is gone: read /api/admin/client-metrics/features/NAME and /api/admin/metrics/applications.';
  throw new Refusal('retired', message);
};
