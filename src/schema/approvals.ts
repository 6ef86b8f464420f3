/** The approvals that changes in an environment need, and the grants that let an approved change pass. */
import { z } from 'zod';
import { ruled } from './fields/rule.ts';
import { atomicList, text, timestamp, wholeList } from './fields/shapes.ts';

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
  approvedBy: wholeList(text(256, 'The name of a user.'), 20, 'Who approved it.'),
  expiresAt: timestamp.meta({ description: 'When the grant ends.', format: 'date-time' }),
};

const grantsOf = <S extends z.ZodRawShape>(values: S) =>
  wholeList(
    z.object({ ...granted, ...values }),
    20,
    'Approved changes: each may be written once, by the owner of the fields.',
  );

export const flagGrants = grantsOf({
  archived: z.boolean().meta({ description: 'The granted value of spec.archived.' }),
  variants: wholeList(asStored('A variant.'), 100, 'The granted value of spec.variants.'),
  dependencies: wholeList(asStored('A dependency.'), 100, 'The granted value of spec.dependencies.'),
  environments: z
    .record(z.string(), asStored('The whole entry; empty: none.'))
    .meta({ description: 'The granted value of spec.environments for each environment.', maxProperties: 30 }),
});
export type FlagGrant = z.infer<typeof flagGrants>[number];

const approvedIn = wholeList(
  text(100, 'The name of an environment.'),
  100,
  'The environments for which the change is approved.',
);

export const segmentGrants = grantsOf({
  environments: approvedIn,
  constraints: wholeList(asStored('A constraint.'), 1000, 'The granted value of spec.constraints.'),
});
export type SegmentGrant = z.infer<typeof segmentGrants>[number];

export const settingsGrants = grantsOf({
  environments: approvedIn,
  settings: z
    .record(z.string(), asStored('The value of the field.'))
    .meta({ description: 'The granted values of the fields of spec that need approval.', maxProperties: 10 }),
});
export type SettingsGrant = z.infer<typeof settingsGrants>[number];
