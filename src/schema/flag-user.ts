/** The FlagUser kind: a person or machine that works with flags. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { nameRules } from './name-rules.ts';
import { givenId, idRules, pinnedId } from './numbered.ts';
import type { CustomObject } from './object.ts';
import { ruled } from './rule.ts';
import { atomicList, printableName, text } from './shapes.ts';

const FIRST_USER_ID = 1;

const subject = ruled(
  z.object({
    kind: z.enum(['User', 'ServiceAccount']).meta({ description: 'What Kubernetes knows the user as.' }),
    name: z
      .string()
      .min(1)
      .max(253)
      .meta({ description: 'The user name that the API server sees, or the name of the ServiceAccount.' }),
    namespace: z.string().min(1).max(63).optional().meta({ description: 'Of the ServiceAccount; a User has none.' }),
  }),
  {
    cel: "(self.kind == 'ServiceAccount') == has(self.namespace)",
    message: 'a ServiceAccount needs a namespace, and a User has none',
    holds: ({ kind, namespace }) => (kind === 'ServiceAccount') === (namespace !== undefined),
  },
);
export type Subject = z.infer<typeof subject>;

const spec = z.object({
  username: printableName(
    'The name on the wire, which members of projects name. Absent: metadata.name. Immutable.',
  ).optional(),
  displayName: text(200, 'The name for people. Absent: none.').optional(),
  email: z
    .string()
    .max(254)
    .regex(/^[^@ \t\r\n]+@[^@ \t\r\n]+$/)
    .optional()
    .meta({ description: 'The e-mail address. It appears in no Event, condition or log.' }),
  imageUrl: z
    .string()
    .max(500)
    .regex(/^https?:\/\/[^ \t\r\n]+$/)
    .optional()
    .meta({ description: 'A picture. Absent: the one that Gravatar has.' }),
  rootRole: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Admin, Editor, Viewer, or the name of a FlagRole of type root. Absent: Viewer.' }),
  id: pinnedId(FIRST_USER_ID),
  subjects: atomicList(
    subject,
    20,
    'The Kubernetes identities that are this user. They say who an author is, and grant nothing.',
  ).optional(),
});
export type FlagUserSpec = z.infer<typeof spec>;

const status = z.object({ ...judged, id: givenId });
export type FlagUserStatus = z.infer<typeof status>;

export type FlagUser = CustomObject<FlagUserSpec, FlagUserStatus>;

export const flagUser: Kind<FlagUserSpec, FlagUserStatus> = {
  kind: 'FlagUser',
  plural: 'flagusers',
  singular: 'flaguser',
  shortNames: ['fuser'],
  description:
    "A person or machine that works with flags: what it is called, its root role, the Kubernetes identities that are this user. Users live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Id', type: 'integer', jsonPath: '.status.id', description: 'The id on the wire.' },
    {
      name: 'Username',
      type: 'string',
      jsonPath: '.spec.username',
      description: 'The name on the wire; blank: that of the object.',
    },
    { name: 'Root role', type: 'string', jsonPath: '.spec.rootRole', description: 'The root role; blank: Viewer.' },
    ...closingColumns('the user has its name, id, subjects and role'),
  ],
  selectableFields: [],
  rootRules: [...nameRules('username'), ...idRules],
  lasting: ['id'],
  freeForm: [],
  isolated: [],
};
