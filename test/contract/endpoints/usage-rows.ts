/** The endpoints about the reports of SDKs. */
import { type Rows, SIGNED_IN } from './row.ts';

const METRICS = '/client-metrics/features/:featureName';
const APPLICATION = '/metrics/applications/:appName';
const values = { appName: 'nobody' };
/** The applications are in usage-advice.test.ts and usage-visible.test.ts. */
const absent = { values, finds: 'nothing' } as const;
export const usageRows: Rows = {
  [`GET ${METRICS}`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`GET ${METRICS}/raw`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  'GET /metrics/applications': { need: SIGNED_IN, kubectl: [] },
  [`GET ${APPLICATION}`]: { need: SIGNED_IN, kubectl: [], ...absent },
  [`GET ${APPLICATION}/overview`]: { need: SIGNED_IN, kubectl: [], ...absent },
  [`DELETE ${APPLICATION}`]: {
    ...absent,
    need: ['UPDATE_APPLICATION', 'root'],
    kubectl: ['create featureflags'],
    unversioned: 'applications are no objects, and have no versions',
    unowned: 'writes no object',
  },
  'GET /metrics/instances/:appName/environment/:environment': { need: SIGNED_IN, kubectl: [], ...absent },
  'GET /metrics/sdks/outdated': { need: SIGNED_IN, kubectl: [] },
  'GET /metrics/unknown-flags': { need: SIGNED_IN, kubectl: [] },
  'GET /reports/stale': { need: SIGNED_IN, kubectl: [] },
};
