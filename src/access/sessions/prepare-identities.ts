/** What a replica checks and logs of identities at its start. */
import type { Reviews } from '../../kube/api/reviews.ts';
import { CREATED_BY } from '../../kube/api/secrets.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { SessionKeys } from './session-keys.ts';

export interface Identities {
  readonly reviews: Reviews;
  /** Undefined: there are no sessions. */
  readonly sessionKeys: SessionKeys | undefined;
}

export async function prepareIdentities(
  auth: 'token' | 'none',
  { reviews, sessionKeys }: Identities,
  logger: Logger,
): Promise<void> {
  await Promise.all([
    auth === 'token' && announceIdentities(reviews, logger),
    sessionKeys && prepareSessions(sessionKeys, logger),
  ]);
}

/** Logs whether Kubernetes tokens are accepted. */
async function announceIdentities(reviews: Reviews, logger: Logger): Promise<void> {
  try {
    if (await reviews.mayAsk()) logger.info({}, 'authentication: Kubernetes tokens enabled');
    else
      logger.warn(
        {},
        'authentication: Kubernetes tokens disabled, bind the ClusterRole system:auth-delegator to the operator to enable them',
      );
  } catch (error) {
    logger.warn({ error }, 'authentication: cannot check the permission to review tokens');
  }
}

/** Logs who made the keys of sessions, at the start and whenever the Secret has others. */
export function announceKeys(logger: Logger): (managers: readonly string[]) => void {
  return (managers) => {
    if (managers.every((manager) => manager === CREATED_BY)) logger.info({}, 'sessions: keys are those of Vexil');
    else logger.warn({ managers }, 'sessions: keys come from a Secret that Vexil did not create');
  };
}

/** Creates the keys of sessions. */
async function prepareSessions(keys: SessionKeys, logger: Logger): Promise<void> {
  try {
    await keys.prepare();
  } catch (error) {
    logger.warn({ error }, 'sessions: keys cannot be prepared, sign-in tries again');
  }
}
