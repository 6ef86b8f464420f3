/** The obstacles of a plan as workflow commands of GitHub, which show each at the line of its object. */
import { workflowCommand } from '../report/github.ts';
import { objectOf, obstaclesOf } from './obstacles.ts';
import type { Plan } from './plan-text.ts';

export function planGithub({ plans }: Plan): string {
  return plans
    .flatMap((plan) =>
      obstaclesOf(plan).map(({ severity, rule, message }) =>
        workflowCommand({ severity, rule, place: plan.place, message: `${objectOf(plan)}: ${message}` }),
      ),
    )
    .join('');
}
