/** What SDKs report about themselves and evaluations. */
import { bulkReport, countsOf, countsOfBulk, metricsReport, registration } from '../../../wire/client/report.ts';
import { flagsOf, flagsOfBulk, sdkOf, sdksOfBulk } from '../../../wire/client/reported-usage.ts';
import { clientRoute } from '../../route/client-route.ts';

const report = { method: 'post', errors: [], caller: 'sdk', isLimited: false, isReport: true, answer: 202 } as const;

/** SDKs stop reporting after one refusal. */
const always = 'If the body cannot be read, the answer is also 202, and nothing is counted.';

export const clientReportRoutes = [
  clientRoute({
    ...report,
    path: '/api/client/register',
    summary: 'Report which application uses the flags.',
    description: `Vexil stores the application, its strategies, the version of the SDK and the id of its connection. ${always}`,
    body: registration,
    handle: ({ reports }, { scope, headers, body }) => reports.sdk(scope, sdkOf(body, headers)),
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics',
    summary: 'Report how often flags were evaluated.',
    description: `Vexil stores the evaluations by flag, application and hour, and counts them in the metric \`vexil_sdk_evaluations_total\`. ${always}`,
    body: metricsReport,
    handle({ observe, reports }, { scope, headers, body }) {
      observe.counted(scope.environment, countsOf(body));
      reports.sdk(scope, sdkOf(body, headers));
      reports.evaluations(scope, flagsOf(body));
    },
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics/bulk',
    summary: 'Report how often flags were evaluated by SDKs behind Unleash Edge.',
    description: `Vexil stores the evaluations by flag, application and hour, and counts them in the metric \`vexil_sdk_evaluations_total\`. ${always}`,
    body: bulkReport,
    handle({ observe, reports }, { scope, headers, body }) {
      const { environment } = scope;
      observe.counted(environment, countsOfBulk(body, environment));
      for (const sdk of sdksOfBulk(body, environment)) reports.sdk(scope, sdk);
      reports.evaluations(scope, flagsOfBulk(body, environment, headers));
    },
  }),

  clientRoute({
    ...report,
    path: '/api/client/metrics/edge',
    summary: 'Report the state of Unleash Edge.',
    description: `Vexil does not store the report. ${always}`,
    body: registration,
    handle: () => undefined,
  }),
];
