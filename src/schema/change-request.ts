/** The ChangeRequest kind: a change that needs approval, with the values that it asks for. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { constraintList } from './constraint.ts';
import { dependencies } from './dependency.ts';
import { environmentSettings } from './environment.ts';
import { flagEnvironment } from './feature-flag.ts';
import { ruled } from './fields/rule.ts';
import {
  isWireName,
  mapOf,
  optionalNumber,
  optionalTime,
  pointInTime,
  text,
  wireNameCel,
  wireNameMessage,
} from './fields/shapes.ts';
import { projectSettings } from './project.ts';
import { MAX_VARIANTS, variantList } from './variant.ts';

/** Maximum for one request. */
export const MAX_REQUESTED_ENVIRONMENTS = 24;

/** Bytes of the values that a request may ask for: its grant is stored with the object. */
export const MAX_WANTED_BYTES = 256 * 1024;

const personKinds = ['User', 'FlagUser'] as const;

export const person = (description: string) =>
  z
    .object({
      kind: z.enum(personKinds).meta({
        description: 'User: a user or ServiceAccount of Kubernetes. FlagUser: a user of Vexil.',
      }),
      name: z.string().min(1).max(256).meta({ description: 'The name of the user.' }),
    })
    .meta({ description });
export type Person = z.infer<ReturnType<typeof person>>;

const environments = ruled(
  mapOf(
    flagEnvironment,
    MAX_REQUESTED_ENVIRONMENTS,
    'The whole entry of the flag for each environment, as it shall be. Empty: no entry.',
  ),
  {
    cel: `self.size() > 0 && self.all(k, ${wireNameCel('k')})`,
    message: `a request names at least one environment by its name, which ${wireNameMessage}`,
    holds: (map) => Object.keys(map ?? {}).length > 0 && Object.keys(map ?? {}).every(isWireName),
  },
);

/** The kinds that requests can be about. */
export const TARGET_KINDS = ['FeatureFlag', 'Segment', 'Project', 'Environment'] as const;

const target = z
  .object({
    kind: z.enum(TARGET_KINDS).meta({ description: 'The kind of the object.' }),
    name: z.string().min(1).max(253).meta({ description: 'metadata.name of the object, in the same namespace.' }),
    uid: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Its uid: another object of the same name is not meant. Absent: the present object.' }),
    generation: z.int().min(1).optional().meta({
      description: 'The generation from which the change starts. Absent: the one that Vexil finds first.',
    }),
  })
  .meta({ description: 'The object to change.' });

const segment = z
  .object({
    constraints: constraintList(
      'spec.constraints as it shall be. Absent: none, so all users are in the segment.',
    ).optional(),
  })
  .meta({ description: 'The segment as it shall be. Its project stays.' });

const project = z.object(projectSettings).meta({ description: 'The fields of the project as they shall be.' });

const environment = z
  .object(environmentSettings)
  .meta({ description: 'The fields of the environment as they shall be.' });

const shape = z.object({
  target,
  environments: environments.optional(),
  archived: z.boolean().optional().meta({ description: 'spec.archived as it shall be. Absent: false.' }),
  variants: variantList(MAX_VARIANTS.ofFlag, 'spec.variants as it shall be. Absent: none.').optional(),
  dependencies: dependencies.optional(),
  segment: segment.optional(),
  project: project.optional(),
  environment: environment.optional(),
  reason: text(1000, 'Why, for the people who approve.').optional(),
  author: person('Who asks for the change; must be the caller.'),
  applyAt: pointInTime('The change comes into effect at this time. Absent: as soon as it is approved.').optional(),
  expiresAt: pointInTime(
    'The request ends at this time. Absent: 7 days after its creation, or after applyAt.',
  ).optional(),
  cancelled: z.boolean().optional().meta({ description: 'The request is withdrawn. The only field that can change.' }),
});

/** The field with the values for each kind of target. */
const VALUES = {
  FeatureFlag: 'environments',
  Segment: 'segment',
  Project: 'project',
  Environment: 'environment',
} as const;

/** Fields that only a request for a flag has. */
const FLAG_VALUES = ['archived', 'variants', 'dependencies'] as const;

const spec = ruled(shape, {
  cel: [
    ...Object.entries(VALUES).map(([kind, field]) => `has(self.${field}) == (self.target.kind == '${kind}')`),
    `(self.target.kind == 'FeatureFlag' || ${FLAG_VALUES.map((field) => `!has(self.${field})`).join(' && ')})`,
  ].join(' && '),
  message:
    'a request has the values of its target, and no others: environments of a FeatureFlag, segment of a Segment, project of a Project, environment of an Environment',
  holds: (value) =>
    Object.entries(VALUES).every(([kind, field]) => (value[field] !== undefined) === (value.target?.kind === kind)) &&
    (value.target?.kind === 'FeatureFlag' || FLAG_VALUES.every((field) => value[field] === undefined)),
});
export type ChangeRequestSpec = z.infer<typeof spec>;

export const requestPhases = [
  'Pending',
  'Approved',
  'Applied',
  'Rejected',
  'Cancelled',
  'Expired',
  'Outdated',
] as const;
export type RequestPhase = (typeof requestPhases)[number];

const status = z.object({
  ...statusFields,
  phase: z.enum(requestPhases).optional().meta({
    description:
      'Pending: approvals are missing. Approved: the change may be made. Outdated: the target has changed since. All others but Pending and Approved are final.',
  }),
  environments: z.array(text(100, 'The name of an environment.')).max(MAX_REQUESTED_ENVIRONMENTS).optional().meta({
    description: 'The environments that the change is about where changes need approval.',
    'x-kubernetes-list-type': 'atomic',
  }),
  required: optionalNumber('How many people must approve.'),
  approvedBy: z
    .array(text(256, 'The name of a user.'))
    .max(20)
    .optional()
    .meta({ description: 'The approvals that count.', 'x-kubernetes-list-type': 'atomic' }),
  approvals: text(40, 'Approvals of those required, for the column.').optional(),
  rejectedBy: text(256, 'Who rejected the request.').optional(),
  base: text(64, 'The digest of the values that the change replaces.').optional(),
  targetUid: text(64, 'The uid of the object to change.').optional(),
  targetGeneration: optionalNumber('The generation that the change may follow.'),
  expiresAt: optionalTime('When the request ends.'),
  endedAt: optionalTime('When Vexil noticed that the request has ended. It is removed some time later.'),
});
export type ChangeRequestStatus = z.infer<typeof status>;

export type ChangeRequest = CustomObject<ChangeRequestSpec, ChangeRequestStatus>;

export const changeRequest = defineKind<ChangeRequestSpec, ChangeRequestStatus>({
  kind: 'ChangeRequest',
  shortNames: ['fcr'],
  description:
    'A change of a flag, segment, project or environment that needs approval. It asks for whole values, so what is approved is what comes into effect. It cannot be edited: cancel it, and make another.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.target.kind', description: 'The kind of the object to change.' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name', description: 'The object to change.' },
    { name: 'Author', type: 'string', jsonPath: '.spec.author.name', description: 'Who asks for the change.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'How far the request is.' },
    { name: 'Approvals', type: 'string', jsonPath: '.status.approvals', description: 'Approvals of those required.' },
    {
      name: 'Apply At',
      type: 'string',
      jsonPath: '.spec.applyAt',
      description: 'When it comes into effect; blank: at once.',
      priority: 1,
    },
    {
      name: 'Expires',
      type: 'string',
      jsonPath: '.status.expiresAt',
      description: 'When the request ends.',
      priority: 1,
    },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', description: 'Why.', priority: 1 },
    ...closingColumns('the change is in effect'),
  ],
  selectableFields: ['.spec.target.name'],
  preservedStatus: ['phase', 'base', 'targetUid', 'targetGeneration', 'approvedBy', 'rejectedBy', 'endedAt'],
  preserveNulls: ['parameters'],
});
