/** Alerts that switch flags off or pause their ramps, each on its own (ADR 58). */
import pLimit from 'p-limit';
import { type Known, toFlagOfAlert } from '../access/authorization/requirements.ts';
import { childrenOn } from '../catalog/children-on.ts';
import { findAnyFlag, findFlagByName } from '../catalog/find.ts';
import { type AlertEdit, type AlertRequest, actOnAlert } from '../domain/alerts/act-on-alert.ts';
import { alertsTakeOver } from '../domain/project/takes-over.ts';
import { isClusterError, isKnownError, type KnownError, Refusal } from '../errors.ts';
import type { OwnedField } from '../kube/write/owned-fields.ts';
import { withAlertAction } from '../schema/alert-action.ts';
import type { EventContent } from '../schema/event.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Services } from './services.ts';

export type AlertOutcome = Pick<AlertEdit, 'outcome' | 'reason'> | { readonly refused: KnownError };

type AlertServices = Services & Known;

/** Concurrent flags; the alerts of one flag follow each other. */
const CONCURRENCY = 4;

/**
 * Returns the results in the order of the alerts. Throws a failure of the cluster after all alerts have been tried, so
 * that Alertmanager sends the notification again: an alert that has acted does not act twice.
 */
export async function actOnAlerts(
  services: AlertServices,
  requests: readonly AlertRequest[],
  dryRun: boolean,
): Promise<readonly AlertOutcome[]> {
  const limit = pLimit(CONCURRENCY);
  const failures: unknown[] = [];
  const outcomes = new Map<AlertRequest, AlertOutcome>();
  const actOnAll = async (ofFlag: readonly AlertRequest[]): Promise<void> => {
    for (const request of ofFlag) {
      const outcome = await actOnOne(services, request, dryRun).catch((error: unknown) => void failures.push(error));
      if (outcome) outcomes.set(request, outcome);
    }
  };
  const byFlag = Object.values(Object.groupBy(requests, ({ flag }) => flag));
  await Promise.all(byFlag.map((ofFlag = []) => limit(() => actOnAll(ofFlag))));
  if (failures.length > 0) throw retryable(failures[0]);
  return requests.flatMap((request) => outcomes.get(request) ?? []);
}

async function actOnOne(services: AlertServices, request: AlertRequest, dryRun: boolean): Promise<AlertOutcome> {
  const { caller, catalog, logger } = services;
  try {
    const forbidden = await caller.refusal(toFlagOfAlert(services, request));
    if (forbidden !== undefined) throw new Refusal('forbidden', forbidden);
    const { flag: featureName, project: projectId } = request;
    const flag =
      projectId === undefined ? findFlagByName(catalog, featureName) : findAnyFlag(catalog, { projectId, featureName });
    return await changeFlag(services, { flag, request, dryRun });
  } catch (error) {
    if (!isAnswer(error)) throw error;
    logger.warn({ alert: request.name, flag: request.flag, code: error.code }, 'alerts: an alert was refused');
    return { refused: error };
  }
}

interface FlagAction {
  readonly flag: FeatureFlag;
  readonly request: AlertRequest;
  readonly dryRun: boolean;
}

/** The edit runs again on each newer version of the flag, so its last result is the one that was written. */
async function changeFlag(services: AlertServices, change: FlagAction): Promise<AlertOutcome> {
  const { flags, catalog, logger } = services;
  const { flag, request, dryRun } = change;
  const { environment } = request;
  const now = catalog.now();
  let last: AlertEdit | undefined;
  const edit = (present: FeatureFlag) => {
    const flagContext = catalog.flagContextOf(present);
    last = actOnAlert(present, request, {
      environment,
      flagContext,
      childrenOn: childrenOn(catalog, present, environment),
      now,
    });
    return last.spec;
  };
  const stamp = ({ metadata }: FeatureFlag) => (last?.action ? withAlertAction(metadata.annotations, last.action) : {});
  const take = (present: FeatureFlag, owned: readonly OwnedField[]) =>
    refuseOwnedUnlessForced(services, present, owned);
  try {
    await flags.change(flag.metadata, edit, { dryRun, stamp, take });
  } catch (error) {
    if (!dryRun && isAnswer(error)) await services.publishEvent(flag, failureEvent(request, error));
    throw error;
  }
  if (!last) throw new Error('the edit has not run');
  const { outcome, reason } = last;
  if (outcome === 'done') {
    logger.info({ alert: request.name, flag: request.flag, environment, dryRun }, 'alerts: a flag was changed');
  }
  return { outcome, reason };
}

function refuseOwnedUnlessForced({ catalog }: AlertServices, flag: FeatureFlag, owned: readonly OwnedField[]): void {
  if (alertsTakeOver(catalog.flagContextOf(flag).project)) return;
  const [{ path = '', owners = [] } = {}] = owned;
  const by = owners.map(({ manager }) => `"${manager}"`).join(', ');
  const message = `${path} is owned by ${by}, which would revert the change. Change it at its source, or set spec.alerts: Force in the Project to let alerts write such fields.`;
  throw new Refusal('field-managed', message);
}

function failureEvent(
  { name, action, environment, fingerprint, startsAt }: AlertRequest,
  { message }: KnownError,
): EventContent {
  return {
    type: 'Warning',
    reason: 'AlertRefused',
    note: `Alert ${name} (${action} in ${environment}) did not change the flag: ${message}`,
    occurrence: [fingerprint, startsAt, environment, action].join(' '),
  };
}

/** Alertmanager repeats what fails with 5xx, and a conflict is 409. */
function retryable(error: unknown): unknown {
  return isClusterError(error, 'conflict') ? new Refusal('busy', error.message, { cause: error }) : error;
}

/** Codes of errors that a repeated request would get again. All other errors may be temporary. */
const ANSWERS: ReadonlySet<KnownError['code']> = new Set([
  ...(['invalid', 'forbidden', 'operation-denied', 'not-found', 'archived', 'cannot-enable'] as const),
  ...(['invalid-operation', 'field-managed', 'frozen', 'approval-required', 'rate-limited', 'too-large'] as const),
]);

function isAnswer(error: unknown): error is KnownError {
  return isKnownError(error) && ANSWERS.has(error.code);
}
