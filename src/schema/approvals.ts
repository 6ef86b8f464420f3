/** The approvals that changes in an environment need, and the grants that let an approved change pass. */
import { z } from 'zod';
import { ruled } from './fields/rule.ts';
import { atomicList, text, timestamp } from './fields/shapes.ts';

const MAX_REQUIRED_APPROVALS = 5;

const exempted = ruled(
  z.object({
    kind: z.enum(['User', 'Group', 'ServiceAccount']).meta({ description: 'The kind of identity in Kubernetes.' }),
    name: z.string().min(1).max(253).meta({ description: 'The name that the API server sees.' }),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .meta({ description: 'The namespace of a ServiceAccount; the others have none.' }),
  }),
  {
    cel: "(self.kind == 'ServiceAccount') == has(self.namespace)",
    message: 'a ServiceAccount needs a namespace, and a User or Group has none',
    holds: ({ kind, namespace }) => (kind === 'ServiceAccount') === (namespace !== undefined),
  },
);
export type Exempted = z.infer<typeof exempted>;

export const approvals = z
  .object({
    required: z
      .int()
      .min(1)
      .max(MAX_REQUIRED_APPROVALS)
      .meta({ description: 'How many people must approve a change.' }),
    selfApproval: z.boolean().optional().meta({ description: 'The approval of the author counts too. Absent: false.' }),
    exempt: atomicList(
      exempted,
      20,
      'Whose changes need no approval, such as a GitOps controller whose pull requests are reviewed.',
    ).optional(),
  })
  .meta({
    description:
      'Changes of flags in this environment need approval: see ChangeRequest. Switching off is always possible. Absent: none is needed.',
  });

/** A value of another object as it is stored there. */
const asStored = (description: string) =>
  z.unknown().meta({ description, 'x-kubernetes-preserve-unknown-fields': true });

const granted = {
  request: text(253, 'The ChangeRequest.'),
  uid: text(64, 'Its uid.'),
  generation: z
    .int()
    .min(0)
    .meta({ description: 'The only generation of the spec that the granted change may follow.' }),
  author: text(256, 'Who asked for the change.'),
  approvedBy: z
    .array(text(256, 'The name of a user.'))
    .max(20)
    .meta({ description: 'Who approved it.', 'x-kubernetes-list-type': 'atomic' }),
  expiresAt: timestamp.meta({ description: 'When the grant ends.', format: 'date-time' }),
};

const grantsOf = <S extends z.ZodRawShape>(values: S) =>
  z
    .array(z.object({ ...granted, ...values }))
    .max(20)
    .meta({
      description: 'Approved changes: each may be written once, by the owner of the fields.',
      'x-kubernetes-list-type': 'atomic',
    });

export const flagGrants = grantsOf({
  archived: z.boolean().meta({ description: 'The granted value of spec.archived.' }),
  variants: z
    .array(asStored('A variant.'))
    .max(100)
    .meta({ description: 'The granted value of spec.variants.', 'x-kubernetes-list-type': 'atomic' }),
  dependencies: z
    .array(asStored('A dependency.'))
    .max(100)
    .meta({ description: 'The granted value of spec.dependencies.', 'x-kubernetes-list-type': 'atomic' }),
  environments: z
    .record(z.string(), asStored('The whole entry; empty: none.'))
    .meta({ description: 'The granted value of spec.environments for each environment.', maxProperties: 30 }),
});
export type FlagGrant = z.infer<typeof flagGrants>[number];

const approvedIn = z.array(text(100, 'The name of an environment.')).max(100).meta({
  description: 'The environments for which the change is approved.',
  'x-kubernetes-list-type': 'atomic',
});

export const segmentGrants = grantsOf({
  environments: approvedIn,
  constraints: z
    .array(asStored('A constraint.'))
    .max(1000)
    .meta({ description: 'The granted value of spec.constraints.', 'x-kubernetes-list-type': 'atomic' }),
});
export type SegmentGrant = z.infer<typeof segmentGrants>[number];

export const settingsGrants = grantsOf({
  environments: approvedIn,
  settings: z
    .record(z.string(), asStored('The value of the field.'))
    .meta({ description: 'The granted values of the fields of spec that need approval.', maxProperties: 10 }),
});
export type SettingsGrant = z.infer<typeof settingsGrants>[number];
