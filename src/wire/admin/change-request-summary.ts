/** Where a project needs approvals, and how many requests it has, in the shapes of Unleash. */
import { z } from 'zod';
import { isDue } from '../../domain/approval/request-life.ts';
import { environmentTypeOf } from '../../domain/environment/environment-values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { Environment } from '../../schema/environment.ts';
import { wireNatural } from './fields.ts';

export const wireChangeRequestConfig = z
  .array(
    z.object({
      environment: z.string().meta({ examples: ['production'] }),
      type: z.string().meta({ examples: ['production'] }),
      changeRequestEnabled: z.boolean().meta({ description: 'Whether changes need approval there.' }),
      requiredApprovals: z
        .int()
        .nullable()
        .meta({ description: 'How many people must approve. Null: changes need no approval.', examples: [1] }),
    }),
  )
  .meta({ id: 'ChangeRequestConfig', description: 'The environments of the project, in their order.' });

export function presentChangeRequestConfig(
  environments: readonly Environment[],
): z.infer<typeof wireChangeRequestConfig> {
  return environments.map((environment) => {
    const { approvals } = environment.spec;
    return {
      environment: wireNameOf(environment),
      type: environmentTypeOf(environment),
      changeRequestEnabled: approvals !== undefined,
      requiredApprovals: approvals ? (approvals.required ?? 1) : null,
    };
  });
}

export const wireChangeRequestCounts = z
  .object({
    total: wireNatural.meta({ description: 'All requests, also those that were withdrawn, or have expired.' }),
    applied: wireNatural,
    rejected: wireNatural,
    reviewRequired: wireNatural.meta({ description: 'Requests in review.' }),
    approved: wireNatural.meta({ description: 'Approved requests whose change may be made now.' }),
    scheduled: wireNatural.meta({ description: 'Approved requests whose `applyAt` is later.' }),
  })
  .meta({ id: 'ChangeRequestCounts' });

/** `now` is in ms since 1970. */
export function presentChangeRequestCounts(
  requests: readonly ChangeRequest[],
  now: number,
): z.infer<typeof wireChangeRequestCounts> {
  const inPhase = (phase: string) => requests.filter(({ status }) => (status?.phase ?? 'Pending') === phase);
  const approved = inPhase('Approved');
  const due = approved.filter((request) => isDue(request, now)).length;
  return {
    total: requests.length,
    applied: inPhase('Applied').length,
    rejected: inPhase('Rejected').length,
    reviewRequired: inPhase('Pending').length,
    approved: due,
    scheduled: approved.length - due,
  };
}
