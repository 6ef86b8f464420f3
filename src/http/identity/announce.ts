/** Says at the start whose tokens get in. */
import type { Reviews } from '../../kube/reviews.ts';
import type { Logger } from '../../telemetry/logger.ts';

export async function announceIdentities(reviews: Reviews, logger: Logger): Promise<void> {
  try {
    if (await reviews.mayAsk()) logger.info({}, 'tokens of Kubernetes are let in, as far as its permissions go');
    else
      logger.warn(
        {},
        'only tokens of Vexil are let in: tokens of Kubernetes need the ClusterRole system:auth-delegator bound to Vexil',
      );
  } catch (error) {
    logger.warn({ error }, 'whether tokens of Kubernetes can be reviewed is not known yet');
  }
}
