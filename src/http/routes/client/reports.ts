/** What SDKs report of themselves and of evaluations. */
import { bulkReport, countsOf, countsOfBulk, metricsReport, registration } from '../../../wire/client/report.ts';
import { clientRoute } from '../../route/client-route.ts';

const report = { method: 'post', errors: [], caller: 'sdk', isLimited: false, isReport: true, answer: 202 } as const;

/** SDKs stop reporting after one refusal. */
const always = 'A body that cannot be read answers 202 too, and counts nothing.';

export const clientReportRoutes = [
  clientRoute({
    ...report,
    path: '/api/client/register',
    summary: 'Say which application uses the flags.',
    description: `Nothing of it is stored. ${always}`,
    body: registration,
    handle: () => undefined,
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics',
    summary: 'Report how often flags were evaluated.',
    description: `Counted in the metric \`vexil_sdk_evaluations_total\`. ${always}`,
    body: metricsReport,
    handle: ({ observe }, { scope, body }) => observe.counted(scope.environment, countsOf(body)),
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics/bulk',
    summary: 'Report how often flags were evaluated by SDKs behind Unleash Edge.',
    description: `Counted in the metric \`vexil_sdk_evaluations_total\`. ${always}`,
    body: bulkReport,
    handle: ({ observe }, { scope: { environment }, body }) =>
      observe.counted(environment, countsOfBulk(body, environment)),
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics/edge',
    summary: 'Report the state of Unleash Edge.',
    description: `Nothing of it is stored. ${always}`,
    body: registration,
    handle: () => undefined,
  }),
];
