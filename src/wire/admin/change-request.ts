/** Change requests on the wire. */
import { z } from 'zod';
import { type Decisive, fieldsThatDiffer } from '../../domain/approval/decisive.ts';
import { type RequestWithFlag, wantedBy } from '../../domain/approval/request-values.ts';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequestStatus, requestPhases } from '../../schema/change-request.ts';
import { presentTime, wireTime } from './timestamp.ts';

/** The state of a request as Unleash names it. */
const states = {
  Pending: 'In review',
  Approved: 'Approved',
  Applied: 'Applied',
  Rejected: 'Rejected',
  Cancelled: 'Cancelled',
  Expired: 'Expired',
  Outdated: 'Outdated',
} as const satisfies Record<(typeof requestPhases)[number], string>;

const values = z
  .object({
    archived: z.boolean(),
    variants: z.array(z.unknown()),
    dependencies: z.array(z.unknown()),
    environments: z.record(z.string(), z.unknown()).meta({ description: 'The whole entry of each environment.' }),
  })
  .meta({ description: 'The part of spec of the FeatureFlag that the request is about.' });

const decision = z.object({
  createdBy: z.string().meta({ description: 'Who decided.' }),
  createdAt: wireTime,
  decision: z.enum(['Approve', 'Reject']),
  comment: z.string().nullable(),
  counts: z.boolean().meta({ description: 'Whether the decision counts.' }),
  message: z.string().nullable().meta({ description: 'Why it does not count. Null: it counts.' }),
});

export const wireChangeRequest = z
  .object({
    id: z
      .string()
      .meta({ description: '`metadata.name` of the ChangeRequest.', examples: ['one-page-checkout-x7k2p'] }),
    project: z.string().nullable().meta({ description: 'The project of the flag. Null: the flag is gone.' }),
    featureName: z.string().meta({ examples: ['one-page-checkout'] }),
    environments: z.array(z.string()).meta({ description: 'The environments that it would change.' }),
    state: z.enum(Object.values(states)).meta({ description: 'All but `In review` and `Approved` are final.' }),
    message: z.string().nullable().meta({ description: 'What is missing, or how it ended.' }),
    reason: z.string().nullable(),
    createdBy: z.string().meta({ description: 'Who asks for the change.' }),
    createdAt: wireTime,
    applyAt: wireTime.nullable().meta({ description: 'When the change comes into effect. Null: once it is approved.' }),
    expiresAt: wireTime.nullable(),
    minApprovals: z.int().min(0).meta({ description: 'How many people must approve.' }),
    approvedBy: z.array(z.string()).meta({ description: 'The approvals that count.' }),
    decisions: z.array(decision).meta({ description: 'The oldest first.' }),
    fields: z.array(z.string()).meta({
      description: 'The fields of the flag that differ from what the request asks for, as the flag is now.',
      examples: [['spec.environments.production']],
    }),
    wanted: values,
    present: values.nullable().meta({ description: 'The same values of the flag now. Null: the flag is gone.' }),
  })
  .meta({ id: 'ChangeRequest', description: 'A change of a flag that needs approval.' });

export const wireChangeRequests = z
  .object({ changeRequests: z.array(wireChangeRequest).meta({ description: 'The newest first.' }) })
  .meta({ id: 'ChangeRequests' });

export function presentChangeRequest({
  request,
  flag,
  present,
  decisions,
}: RequestWithFlag): z.infer<typeof wireChangeRequest> {
  const { metadata, spec, status } = request;
  const wanted = wantedBy(request);
  return {
    id: metadata.name,
    project: flag ? projectIdOf(flag) : null,
    featureName: flag ? wireNameOf(flag) : spec.target.name,
    environments: Object.keys(wanted.environments),
    reason: spec.reason ?? null,
    createdBy: spec.author.name,
    createdAt: presentTime(metadata.creationTimestamp),
    applyAt: timeOrNull(spec.applyAt),
    ...presentProgress(status),
    decisions: decisions.map(presentDecision),
    fields: present ? [...fieldsThatDiffer(present, wanted)] : [],
    wanted: plain(wanted),
    present: present ? plain(present) : null,
  };
}

/** A new request has no status yet. */
function presentProgress({
  phase = 'Pending',
  problems,
  expiresAt,
  required = 1,
  approvedBy,
}: ChangeRequestStatus = {}) {
  return {
    state: states[phase],
    message: complaintOf(problems),
    expiresAt: timeOrNull(expiresAt),
    minApprovals: required,
    approvedBy: [...(approvedBy ?? [])],
  };
}

function timeOrNull(time: string | undefined): string | null {
  return time === undefined ? null : presentTime(time);
}

/** Null if the object is ready, or not judged yet. */
function complaintOf(problems: ChangeRequestStatus['problems']): string | null {
  return problems?.find(({ severity }) => severity === 'Error')?.message ?? null;
}

function presentDecision({ metadata, spec, status }: ChangeApproval): z.infer<typeof decision> {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    createdBy: spec.approver.name,
    createdAt: presentTime(metadata.creationTimestamp),
    decision: spec.decision ?? 'Approve',
    comment: spec.comment ?? null,
    counts: ready?.status === 'True',
    message: complaintOf(status?.problems),
  };
}

function plain({ archived, variants, dependencies, environments }: Decisive): z.infer<typeof values> {
  return { archived, variants: [...variants], dependencies: [...dependencies], environments: { ...environments } };
}
