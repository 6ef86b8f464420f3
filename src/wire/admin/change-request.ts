/** Change requests on the wire. */
import { z } from 'zod';
import { projectOfPath, type RequestWithTarget, type Target, wantedBy } from '../../domain/approval/target.ts';
import { fieldsThatDiffer, type Values } from '../../domain/approval/values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import {
  type ChangeRequest,
  type ChangeRequestStatus,
  type requestPhases,
  TARGET_KINDS,
} from '../../schema/change-request.ts';
import { wireNullableText } from './fields.ts';
import { presentTime, presentTimeOrNull, wireTime } from './timestamp.ts';

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

const flagValues = z
  .object({
    archived: z.boolean(),
    variants: z.array(z.unknown()),
    dependencies: z.array(z.unknown()),
    environments: z.record(z.string(), z.unknown()).meta({ description: 'The whole entry of each environment.' }),
  })
  .meta({ description: 'The part of spec of the FeatureFlag that the request is about.' });

const segmentValues = z
  .object({ constraints: z.array(z.unknown()) })
  .meta({ description: 'The part of spec of the Segment that the request is about.' });

const projectValues = z
  .object({
    environments: z.array(z.string()).optional().meta({ description: 'Absent: all that are enabled.' }),
    members: z.record(z.string(), z.string()).meta({ description: 'The role of each member.' }),
  })
  .meta({ description: 'The part of spec of the Project that the request is about.' });

const environmentValues = z
  .object({
    enabled: z.boolean(),
    protected: z.boolean(),
    freezes: z.array(z.unknown()).optional(),
    approvals: z.unknown().optional().meta({ description: 'Absent: changes need no approval.' }),
  })
  .meta({ description: 'The part of spec of the Environment that the request is about.' });

const values = z.union([flagValues, segmentValues, projectValues, environmentValues]);

const decision = z.object({
  createdBy: z.string().meta({ description: 'Who decided or commented.' }),
  createdAt: wireTime,
  decision: z.enum(['Approve', 'Reject', 'Comment']).meta({ description: 'Comment: no decision.' }),
  comment: wireNullableText,
  counts: z.boolean().meta({ description: 'Whether the decision counts.' }),
  message: wireNullableText.meta({ description: 'Why it does not count. Null: it counts, or is a comment.' }),
});

export const wireDecision = decision.meta({ id: 'ChangeRequestDecision' });
type WireDecision = z.infer<typeof decision>;

/** Everybody with the permission to create decisions may create many. */
const MAX_DECISIONS = 100;

export const wireChangeRequest = z
  .object({
    id: z
      .string()
      .meta({ description: '`metadata.name` of the ChangeRequest.', examples: ['one-page-checkout-x7k2p'] }),
    project: wireNullableText.meta({
      description:
        'The project that the target belongs to, or is; `default` for a segment of all projects, and for an environment. Null: the target is gone.',
    }),
    target: z
      .object({ kind: z.enum(TARGET_KINDS), name: z.string() })
      .meta({ description: 'What it would change, by its name in the API.' }),
    featureName: wireNullableText.meta({
      description: 'Null: the request is about no flag.',
      examples: ['one-page-checkout'],
    }),
    segment: z
      .object({ id: z.int().nullable().meta({ description: 'Null: the segment is gone.' }), name: z.string() })
      .nullable()
      .meta({ description: 'Null: the request is about no segment.' }),
    environments: z
      .array(z.string())
      .meta({ description: 'The environments that it is about; for a segment, where flags use it.' }),
    state: z.enum(Object.values(states)).meta({ description: 'All but `In review` and `Approved` are final.' }),
    message: wireNullableText.meta({ description: 'What is missing, or how it ended.' }),
    reason: wireNullableText,
    createdBy: z.string().meta({ description: 'Who asks for the change.' }),
    createdAt: wireTime,
    applyAt: wireTime.nullable().meta({ description: 'When the change comes into effect. Null: once it is approved.' }),
    expiresAt: wireTime.nullable(),
    minApprovals: z.int().min(0).meta({ description: 'How many people must approve.' }),
    approvedBy: z.array(z.string()).meta({ description: 'The approvals that count.' }),
    decisions: z
      .array(decision)
      .max(MAX_DECISIONS)
      .meta({
        description: `The oldest first. Of more than ${MAX_DECISIONS}, those that count, and the newest of the others.`,
      }),
    fields: z.array(z.string()).meta({
      description: 'The fields of the target that differ now from what the request asks for.',
      examples: [['spec.environments.production']],
    }),
    wanted: values,
    present: values.nullable().meta({ description: 'The same values now. Null: the target is gone.' }),
  })
  .meta({ id: 'ChangeRequest', description: 'A change that needs approval.' });

export const wireChangeRequests = z
  .object({
    changeRequests: z.array(wireChangeRequest).meta({ description: 'The newest first.' }),
    total: z.int().min(0).meta({ description: 'How many there are, regardless of the page.' }),
  })
  .meta({ id: 'ChangeRequests' });

export function presentChangeRequest({
  request,
  target,
  environments,
  present,
  decisions,
}: RequestWithTarget): z.infer<typeof wireChangeRequest> {
  const { metadata, spec, status } = request;
  const wanted = wantedBy(request);
  return {
    id: metadata.name,
    project: target ? projectOfPath(target) : null,
    ...namesOf(request, target),
    environments: [...environments],
    reason: spec.reason ?? null,
    createdBy: spec.author.name,
    createdAt: presentTime(metadata.creationTimestamp),
    applyAt: presentTimeOrNull(spec.applyAt),
    ...presentProgress(status),
    decisions: shownOf(decisions.map(presentDecision)),
    fields: present ? [...fieldsThatDiffer(present, wanted)] : [],
    wanted: plain(wanted),
    present: present ? plain(present) : null,
  };
}

function shownOf(decisions: readonly WireDecision[]): WireDecision[] {
  const [counting, others] = [decisions.filter(({ counts }) => counts), decisions.filter(({ counts }) => !counts)];
  const shown = new Set([...counting, ...others.toReversed()].slice(0, MAX_DECISIONS));
  return decisions.filter((one) => shown.has(one));
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
    expiresAt: presentTimeOrNull(expiresAt),
    minApprovals: required,
    approvedBy: [...(approvedBy ?? [])],
  };
}

/** Null if the object is ready, or not judged yet. */
function complaintOf(problems: ChangeRequestStatus['problems']): string | null {
  return problems?.find(({ severity }) => severity === 'Error')?.message ?? null;
}

export function presentDecision({ metadata, spec, status }: ChangeApproval): WireDecision {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    createdBy: spec.approver.name,
    createdAt: presentTime(metadata.creationTimestamp),
    decision: spec.decision ?? 'Approve',
    comment: spec.comment ?? null,
    counts: spec.decision !== 'Comment' && ready?.status === 'True',
    message: complaintOf(status?.problems),
  };
}

function namesOf({ spec }: ChangeRequest, target: Target | undefined) {
  const { kind } = spec.target;
  const name = target ? wireNameOf(target.object) : spec.target.name;
  const id = (target?.kind === 'Segment' && target.object.status?.id) || null;
  return {
    target: { kind, name },
    featureName: kind === 'FeatureFlag' ? name : null,
    segment: kind === 'Segment' ? { id, name } : null,
  };
}

/** The values as JSON, which is never changed. */
function plain(shown: Values): z.infer<typeof values> {
  return shown as z.infer<typeof values>;
}
