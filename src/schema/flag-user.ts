/** The FlagUser kind: a person or machine that works with flags. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { nameRules } from './fields/name-rules.ts';
import { givenId, idRules, integerId } from './fields/numbered.ts';
import { ruled } from './fields/rule.ts';
import { atomicList, printableName, text } from './fields/shapes.ts';

const FIRST_USER_ID = 1;

const subject = ruled(
  z.object({
    kind: z.enum(['User', 'ServiceAccount']).meta({ description: 'The kind of identity in Kubernetes.' }),
    name: z
      .string()
      .min(1)
      .max(253)
      .meta({ description: 'The user name that the API server sees, or the name of the ServiceAccount.' }),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .meta({ description: 'The namespace of the ServiceAccount; a User has none.' }),
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
    'The name in the API; members of projects refer to it. Absent: metadata.name. Immutable.',
  ).optional(),
  displayName: text(200, 'The display name. Absent: none.').optional(),
  email: z
    .string()
    .max(254)
    .regex(/^[^@ \t\r\n]+@[^@ \t\r\n]+$/)
    .optional()
    .meta({ description: 'The e-mail address. It never appears in Events, conditions or logs.' }),
  imageUrl: z
    .string()
    .max(500)
    .regex(/^https?:\/\/[^ \t\r\n]+$/)
    .optional()
    .meta({ description: 'URL of a picture. Absent: the picture from Gravatar.' }),
  rootRole: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Admin, Editor, Viewer, or the name of a FlagRole of type root. Absent: Viewer.' }),
  id: integerId(FIRST_USER_ID),
  subjects: atomicList(
    subject,
    20,
    'The Kubernetes identities of this user. They identify authors of changes and grant no permissions.',
  ).optional(),
});
export type FlagUserSpec = z.infer<typeof spec>;

const status = z.object({ ...statusFields, id: givenId });
export type FlagUserStatus = z.infer<typeof status>;

export type FlagUser = CustomObject<FlagUserSpec, FlagUserStatus>;

export const flagUser = defineKind<FlagUserSpec, FlagUserStatus>({
  kind: 'FlagUser',
  shortNames: ['fuser'],
  description:
    'A person or machine that works with flags: names, root role and Kubernetes identities. Users live in the operator namespace.',
  namespaces: 'operator',
  spec,
  status,
  columns: [
    { name: 'Id', type: 'integer', jsonPath: '.status.id', description: 'The id in the API.' },
    {
      name: 'Username',
      type: 'string',
      jsonPath: '.spec.username',
      description: 'The name in the API; blank: metadata.name.',
    },
    { name: 'Root role', type: 'string', jsonPath: '.spec.rootRole', description: 'The root role; blank: Viewer.' },
    ...closingColumns('the user has its name, id, subjects and role'),
  ],
  rootRules: [...nameRules('username'), ...idRules],
  preservedStatus: ['id'],
});
