/** The common fields of a status: conditions in the sense of kstatus, and the problems behind them. */
import { z } from 'zod';
import { optionalNumber, text, timestamp } from './fields/shapes.ts';

/** `Ready` is always present; the others only while they are true. */
const conditionTypes = ['Ready', 'Stalled', 'Reconciling', 'PotentiallyStale', 'Usage', 'Scheduled'] as const;
export type ConditionType = (typeof conditionTypes)[number];

/** Reasons of problems. */
export const problemReasons = [
  /** The stored spec does not fit the schema. */
  'InvalidSpec',
  /** Another object owns the same wire name, or the name belongs to another namespace. */
  'NameConflict',
  /** Another object claims the wire name of this one. */
  'DuplicateName',
  /** Another object has the same id. */
  'IdConflict',
  /** An older user has the same subject. */
  'SubjectConflict',
  /** An older user has the same e-mail address. */
  'EmailShared',
  'ProjectNotFound',
  'UserNotFound',
  /** The user of this name is not the one that was recorded. */
  'UserReplaced',
  'RoleNotFound',
  'EnvironmentNotFound',
  'EnvironmentNotInProject',
  'UnknownStrategy',
  /** A strategy lacks a parameter that its StrategyDefinition requires, or without which it is probably a mistake. */
  'MissingParameter',
  /** A flag that this one depends on does not exist in its project, or is archived. */
  'ParentNotFound',
  /** A flag that this one depends on has dependencies itself. */
  'DependencyChain',
  /** There is no such segment, or it is not for flags of this project. */
  'SegmentNotFound',
  /** The segment has problems of its own, or no id yet. */
  'SegmentNotReady',
  /** SDKs read the value in different ways, or reject it. As an error: the strategy with the value is not in effect. */
  'ClientsDisagree',
  /** The rules of the flag in the environment take more work than an evaluation may take. */
  'EvaluationTooCostly',
  /** A strategy type of this name is built in. */
  'BuiltInName',
  /** A role has a permission that this version does not know. */
  'UnknownPermission',
  'EnabledWithoutStrategies',
  'NamingPatternMismatch',
  'InvalidNamingPattern',
  'NoOwner',
  'LifetimeExceeded',
  /** The payload of a variant does not match its type. */
  'UnreadablePayload',
  /** A freeze names a time zone that does not exist. */
  'UnknownTimeZone',
  'CloneInProgress',
  /** The source environment is itself a clone in progress. */
  'CloneSourceNotReady',
  /** The flag of a change request does not exist. */
  'TargetNotFound',
  /** People have yet to approve the change. */
  'ApprovalMissing',
  /** The change is approved, and comes into effect later. */
  'AppliesLater',
  /** The change is approved, and the owner of the fields has yet to write it. */
  'OwnerMustApply',
  'ChangeRejected',
  'ChangeCancelled',
  'ChangeExpired',
  /** The flag has changed since the request was made. */
  'ChangeOutdated',
  /** No environment of a change request needs approval. */
  'NoApprovalNeeded',
  /** A change request would change environments that it does not name. */
  'EnvironmentsLeftOut',
  /** The values of a change request are too large. */
  'ChangeTooLarge',
  /** No change request has this name and uid. */
  'RequestNotFound',
  /** The decision is that of the author, or of somebody who may not approve. */
  'ApproverNotEntitled',
  /** A part of a clone was rejected. */
  'CloneFailed',
  /** The token has expired. */
  'Expired',
  /** The Secret does not exist or is not labelled for this token; the two are not distinguished, to reveal nothing. */
  'SecretNotFound',
  /** The Secret with the generated value was deleted. */
  'SecretMissing',
  /** Another Secret has the name of the Secret to generate. */
  'SecretNotOurs',
  /** The Secret of the token contains no valid value. */
  'SecretUnusable',
  /** An older token has the same value. */
  'TokenConflict',
  /** The expression of a sink is no CEL, or takes too long. */
  'InvalidFilter',
  /** A sink names an address that is not public, and the settings do not allow it. */
  'AddressNotAllowed',
  /** A sink outside of the operator namespace asks for plain e-mail addresses. */
  'AddressesMustBeMasked',
  /** More sinks than the operator serves. */
  'TooManySinks',
  /** The receiver of a sink does not take entries at the moment. */
  'ReceiverFailing',
  /** The receiver of a sink wants nothing any more. */
  'ReceiverGone',
] as const;
export type ProblemReason = (typeof problemReasons)[number];

/** Reasons of the condition Usage. */
export const usageReasons = ['InUse', 'NeverUsed', 'Unused', 'AlwaysOn', 'AlwaysOff', 'ArchivedInUse'] as const;
export type UsageReason = (typeof usageReasons)[number];

/** Reasons of the condition Scheduled: the next change by time alone. */
export type ScheduleReason = 'WindowOpens' | 'WindowCloses' | 'RampStep';

export type ConditionReason = 'Succeeded' | ScheduleReason | ProblemReason | UsageReason;

export const severities = ['Error', 'Warning'] as const;

const problem = z.object({
  severity: z.enum(severities).meta({
    description: 'Error: the part at path is not in effect. Warning: the part is in effect but should be checked.',
  }),
  path: text(512, 'The path of the field, for example spec.environments.production.'),
  reason: z.enum(problemReasons).meta({ description: 'The kind of problem, as one word for programs.' }),
  message: text(1024, 'What is wrong, which value, and what to do.'),
});
export type Problem = z.infer<typeof problem>;

const condition = z.object({
  type: z.enum(conditionTypes),
  status: z.enum(['True', 'False', 'Unknown']),
  observedGeneration: optionalNumber('The generation of the spec that was judged.'),
  lastTransitionTime: timestamp,
  reason: text(64, 'The reason, as one word for programs.'),
  message: text(2048, 'A sentence for people.'),
});
export type Condition = z.infer<typeof condition>;

/** Fields that every status has. */
export const statusFields = {
  observedGeneration: optionalNumber('The generation of the spec that this status describes.'),
  changedBy: text(
    256,
    'The author of the current spec. Without the author policy in the cluster: the field manager that wrote it.',
  ).optional(),
  conditions: z
    .array(condition)
    .max(8)
    .optional()
    .meta({
      description:
        'Ready, and while they are true, Stalled (needs an edit of this object) and Reconciling (in progress, or waiting for another object).',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  problems: z
    .array(problem)
    .max(100)
    .optional()
    .meta({ description: 'All problems, errors first.', 'x-kubernetes-list-type': 'atomic' }),
};
