/** The ChangeRequest kind: a change of a flag that needs approval, with the values that it asks for. */
import { z } from 'zod';
import { closingColumns, type Kind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { dependencies } from './dependency.ts';
import { flagEnvironment } from './feature-flag.ts';
import { ruled } from './fields/rule.ts';
import { isWireName, mapOf, pointInTime, text, timestamp, wireNameCel, wireNameMessage } from './fields/shapes.ts';
import { MAX_VARIANTS, variantList } from './variant.ts';

/** Maximum for one request. */
const MAX_REQUESTED_ENVIRONMENTS = 24;

/** Bytes of the values that a request may ask for: its grant is stored with the flag. */
export const MAX_WANTED_BYTES = 256 * 1024;

const personKinds = ['User', 'FlagUser', 'Token'] as const;

export const person = (description: string) =>
  z
    .object({
      kind: z.enum(personKinds).meta({
        description:
          'User: a user or ServiceAccount of Kubernetes. FlagUser: a user of Vexil. Token: a token that is for nobody.',
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

const target = z
  .object({
    kind: z.enum(['FeatureFlag']).meta({ description: 'The kind of the object.' }),
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

const spec = z.object({
  target,
  environments,
  archived: z.boolean().optional().meta({ description: 'spec.archived as it shall be. Absent: false.' }),
  variants: variantList(MAX_VARIANTS.ofFlag, 'spec.variants as it shall be. Absent: none.').optional(),
  dependencies: dependencies.optional(),
  reason: text(1000, 'Why, for the people who approve.').optional(),
  author: person('Who asks for the change; must be the caller.'),
  applyAt: pointInTime('The change comes into effect at this time. Absent: as soon as it is approved.').optional(),
  expiresAt: pointInTime(
    'The request ends at this time. Absent: 7 days after its creation, or after applyAt.',
  ).optional(),
  cancelled: z.boolean().optional().meta({ description: 'The request is withdrawn. The only field that can change.' }),
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
      'Pending: approvals are missing. Approved: the change may be made. Outdated: the flag has changed since. All others but Pending and Approved are final.',
  }),
  environments: z.array(text(100, 'The name of an environment.')).max(MAX_REQUESTED_ENVIRONMENTS).optional().meta({
    description: 'The environments of the request where changes need approval.',
    'x-kubernetes-list-type': 'atomic',
  }),
  required: z.int().min(0).optional().meta({ description: 'How many people must approve.' }),
  approvedBy: z
    .array(text(256, 'The name of a user.'))
    .max(20)
    .optional()
    .meta({ description: 'The approvals that count.', 'x-kubernetes-list-type': 'atomic' }),
  approvals: text(40, 'Approvals of those required, for the column.').optional(),
  rejectedBy: text(256, 'Who rejected the request.').optional(),
  base: text(64, 'The digest of the values that the change replaces.').optional(),
  targetUid: text(64, 'The uid of the object to change.').optional(),
  targetGeneration: z.int().min(0).optional().meta({ description: 'The generation that the change may follow.' }),
  expiresAt: timestamp.optional().meta({ description: 'When the request ends.', format: 'date-time' }),
});
export type ChangeRequestStatus = z.infer<typeof status>;

export type ChangeRequest = CustomObject<ChangeRequestSpec, ChangeRequestStatus>;

export const changeRequest: Kind<ChangeRequestSpec, ChangeRequestStatus> = {
  kind: 'ChangeRequest',
  plural: 'changerequests',
  singular: 'changerequest',
  shortNames: ['fcr'],
  description:
    'A change of a flag in environments that need approval. It asks for whole values, so what is approved is what comes into effect. It cannot be edited: cancel it, and make another.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Flag', type: 'string', jsonPath: '.spec.target.name', description: 'The flag to change.' },
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
  rootRules: [],
  preservedStatus: ['phase', 'base', 'targetUid', 'targetGeneration', 'approvedBy', 'rejectedBy'],
  preserveNulls: ['parameters'],
  independentMaps: [],
};
