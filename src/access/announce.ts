/** Logs at the start whether Kubernetes tokens are accepted. */
import type { Reviews } from '../kube/api/reviews.ts';
import type { Logger } from '../telemetry/logger.ts';

export async function announceIdentities(reviews: Reviews, logger: Logger): Promise<void> {
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
