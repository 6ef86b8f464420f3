/** The ChangeApproval kind: the decision of one person on a ChangeRequest, or a comment. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { person } from './change-request.ts';
import { statusFields } from './condition.ts';
import { ruled } from './fields/rule.ts';
import { setOf, text } from './fields/shapes.ts';

/** The API server answers so many questions about rights for one write. */
export const MAX_APPROVED_ENVIRONMENTS = 8;

export const MAX_APPROVER_GROUPS = 100;

const shape = z.object({
  request: z
    .object({
      name: z.string().min(1).max(253).meta({ description: 'The ChangeRequest, in the same namespace.' }),
      uid: z.string().min(1).max(64).meta({ description: 'Its uid: no other request is meant.' }),
    })
    .meta({ description: 'The request that is decided.' }),
  environments: setOf(
    z.string().min(1).max(100),
    MAX_APPROVED_ENVIRONMENTS,
    'The environments of the request that need approval; none for a comment. The approver needs the verb approve on each of them.',
  ),
  approver: person('Who decides; must be the caller.'),
  groups: setOf(
    z.string().min(1).max(256),
    MAX_APPROVER_GROUPS,
    'Groups of the caller through which the caller may approve. Absent: the caller may by name.',
  ).optional(),
  decision: z
    .enum(['Approve', 'Reject', 'Comment'])
    .optional()
    .meta({ description: 'Reject: ends the request. Comment: decides nothing. Absent: Approve.' }),
  comment: text(1000, 'Why, or the comment.').optional(),
});

const spec = ruled(shape, {
  cel: "!has(self.decision) || self.decision != 'Comment' || has(self.comment) && self.comment != ''",
  message: 'a decision Comment needs a comment',
  holds: ({ decision, comment }) => decision !== 'Comment' || (comment !== undefined && comment !== ''),
});
export type ChangeApprovalSpec = z.infer<typeof spec>;

const status = z.object({ ...statusFields });
export type ChangeApprovalStatus = z.infer<typeof status>;

export type ChangeApproval = CustomObject<ChangeApprovalSpec, ChangeApprovalStatus>;

export const changeApproval = defineKind<ChangeApprovalSpec, ChangeApprovalStatus>({
  kind: 'ChangeApproval',
  shortNames: ['fca'],
  description: 'The decision of one person on a ChangeRequest, or a comment on it. It cannot be edited.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Request', type: 'string', jsonPath: '.spec.request.name', description: 'The request.' },
    { name: 'Approver', type: 'string', jsonPath: '.spec.approver.name', description: 'Who decided.' },
    {
      name: 'Decision',
      type: 'string',
      jsonPath: '.spec.decision',
      description: 'Approve, Reject or Comment; blank: Approve.',
    },
    ...closingColumns('the decision counts'),
  ],
});
