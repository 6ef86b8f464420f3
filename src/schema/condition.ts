/** What a status tells: conditions in the sense of kstatus, with the problems behind them. */
import { z } from 'zod';
import { text, timestamp } from './shapes.ts';

/** `Ready` is always there; the others only while they are true. */
const conditionTypes = ['Ready', 'Stalled', 'Reconciling', 'PotentiallyStale'] as const;
export type ConditionType = (typeof conditionTypes)[number];

/** Why something is not as it should be. */
const problemReasons = [
  /** The stored spec does not fit the schema. */
  'InvalidSpec',
  /** Another object holds the same wire name, or it belongs to another namespace. */
  'NameConflict',
  /** Another object asks for the wire name that this one holds. */
  'DuplicateName',
  /** Another object holds the same id. */
  'IdConflict',
  /** An older user has the same subject. */
  'SubjectConflict',
  /** An older user has the same e-mail address. */
  'EmailShared',
  'ProjectNotFound',
  'UserNotFound',
  /** The user of this name is another one than the one that was meant. */
  'UserReplaced',
  'RoleNotFound',
  'EnvironmentNotFound',
  'EnvironmentNotInProject',
  'UnknownStrategy',
  /** A strategy lacks a parameter that its StrategyDefinition requires. */
  'MissingParameter',
  /** A role names a permission that this version does not know. */
  'UnknownPermission',
  'EnabledWithoutStrategies',
  'NamingPatternMismatch',
  'InvalidNamingPattern',
  'NoOwner',
  'LifetimeExceeded',
  /** The payload of a variant is not what its type says. */
  'UnreadablePayload',
  'CloneInProgress',
  /** The environment to be copied is itself a clone that is not done. */
  'CloneSourceNotReady',
  /** Part of a clone was refused. */
  'CloneFailed',
  /** The token is over. */
  'Expired',
  /** There is no Secret of that name, or none that is labelled for this token: which of the two is told to nobody. */
  'SecretNotFound',
  /** The Secret with the generated value is gone. */
  'SecretMissing',
  /** Something else has the name that the Secret with the generated value would have. */
  'SecretNotOurs',
  /** The Secret of the token holds no value that could be one. */
  'SecretUnusable',
  /** An older token has the same value. */
  'TokenConflict',
] as const;
export type ProblemReason = (typeof problemReasons)[number];

export type ConditionReason = 'Succeeded' | ProblemReason;

const severities = ['Error', 'Warning'] as const;

const problem = z.object({
  severity: z
    .enum(severities)
    .meta({ description: 'Error: the part named by path is not in effect. Warning: worth a look, changes nothing.' }),
  path: text(512, 'The field, from the object down, for example spec.environments.production.'),
  reason: z.enum(problemReasons).meta({ description: 'The kind of problem, one word for machines.' }),
  message: text(1024, 'What is wrong, with which value, and what to do.'),
});
export type Problem = z.infer<typeof problem>;

const condition = z.object({
  type: z.enum(conditionTypes),
  status: z.enum(['True', 'False', 'Unknown']),
  observedGeneration: z.int().min(0).optional().meta({ description: 'The generation of the spec that was judged.' }),
  lastTransitionTime: timestamp,
  reason: text(64, 'One word for machines.'),
  message: text(2048, 'One sentence for people.'),
});
export type Condition = z.infer<typeof condition>;

/** Fields that every status has. */
export const judged = {
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The generation of the spec that this status is about.' }),
  changedBy: text(
    256,
    'Who wrote the present spec. Where the cluster has no author policy: the field manager that wrote it.',
  ).optional(),
  conditions: z
    .array(condition)
    .max(8)
    .optional()
    .meta({
      description:
        'Ready, and while they are true Stalled (only an edit of this object helps), Reconciling (it is under way, or another object is missing).',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  problems: z
    .array(problem)
    .max(100)
    .optional()
    .meta({ description: 'Everything that is wrong, errors first.', 'x-kubernetes-list-type': 'atomic' }),
};
