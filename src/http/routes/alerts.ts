/** POST /alerts: alerts of Prometheus that switch flags off. */
import { toFlagsOfAnyProject } from '../../access/authorization/requirements.ts';
import { type AlertOutcome, actOnAlerts } from '../../actions/act-on-alerts.ts';
import { Refusal } from '../../errors.ts';
import { type WireAlertOutcome, wireAlertOutcomes } from '../../wire/admin/alert.ts';
import { alertsBody, type ReadAlert, readAlerts } from '../../wire/admin/alert-input.ts';
import { route } from '../route/route.ts';
import { wireErrors } from '../server/answer/errors.ts';

const description = [
  'The webhook of Alertmanager ([docs/alerts.md](alerts.md)). The labels or annotations of an alert say what it does:',
  '`vexil_flag`, `vexil_environment`, `vexil_action` (`off` or `pause-ramp`), and optionally `vexil_project` and',
  '`vexil_on_resolved: resume`. Each alert is answered on its own. A token needs `ALERT_ACTION` in the environment and',
  'nothing else; 403 if that is missing for each alert that names a flag. `force` has no effect: the Project says whether',
  'alerts write fields that a GitOps tool owns. 503: send the same again, no alert acts twice.',
].join(' ');

export const alertRoutes = [
  route({
    method: 'post',
    path: '/alerts',
    summary: 'Let alerts of Prometheus switch flags off or pause their ramps.',
    description,
    errors: [],
    requires: toFlagsOfAnyProject('patch', 'ALERT_ACTION'),
    body: alertsBody,
    answer: 200,
    // Alertmanager has not seen a version of any flag.
    creates: true,
    response: wireAlertOutcomes,
    handle: async (services, { body, dryRun }) => {
      const alerts = readAlerts(body);
      const requests = alerts.flatMap(({ asks }) => (typeof asks === 'object' ? [asks] : []));
      const outcomes = await actOnAlerts(services, requests, dryRun);
      refuseIfAllForbidden(outcomes);
      const outcomeOf = new Map(requests.map((request, index) => [request as ReadAlert['asks'], outcomes[index]]));
      return { alerts: alerts.map((one) => presentOutcome(one, outcomeOf.get(one.asks))) };
    },
  }),
];

/** A notification in which every alert is forbidden is a mistake in the settings, which Alertmanager must notice. */
function refuseIfAllForbidden(outcomes: readonly AlertOutcome[]): void {
  const refusals = outcomes.flatMap((one) =>
    'refused' in one && one.refused.code === 'forbidden' ? [one.refused.message] : [],
  );
  if (outcomes.length === 0 || refusals.length < outcomes.length) return;
  throw new Refusal('forbidden', [...new Set(refusals)].join(' '));
}

function presentOutcome({ name, fingerprint, asks }: ReadAlert, outcome: AlertOutcome | undefined): WireAlertOutcome {
  const { flag = null, environment = null } = typeof asks === 'object' ? asks : {};
  const alert = { alert: name, fingerprint, flag, environment };
  if (asks === undefined) return { ...alert, outcome: 'ignored', reason: 'The alert has no vexil_flag.' };
  if (typeof asks === 'string') return { ...alert, outcome: 'refused', reason: asks, error: presentError('invalid') };
  if (!outcome) throw new Error('an alert has no outcome');
  if (!('refused' in outcome)) return { ...alert, ...outcome };
  const { code, message } = outcome.refused;
  return { ...alert, outcome: 'refused', reason: message, error: presentError(code) };
}

function presentError(code: keyof typeof wireErrors): WireAlertOutcome['error'] {
  const { status, name } = wireErrors[code];
  return { status, name };
}
