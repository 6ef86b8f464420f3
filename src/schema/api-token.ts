/** The ApiToken kind: a request for an API token, whose value is stored in a Secret only. */
import { z } from 'zod';
import { closingColumns, defineKind, type RootRule } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { effectiveCel, nameRules } from './fields/name-rules.ts';
import { ruled } from './fields/rule.ts';
import {
  isWireName,
  optionalNumber,
  optionalTime,
  pointInTime,
  printableName,
  setOf,
  text,
  wireNameCel,
  wireNameMessage,
} from './fields/shapes.ts';

/** Label on a Secret: the ApiToken that may use its value. */
export const TOKEN_LABEL = 'vexil.dev/token';

export const tokenTypes = ['admin', 'client', 'frontend', 'personal'] as const;

/** The types for one environment, and for all or some projects (docs/unleash-compatibility.md#api-tokens). */
const scoped: readonly string[] = ['client', 'frontend'];
const isScopedCel = `self.type in [${scoped.map((type) => `'${type}'`).join(', ')}]`;

const urlFriendly = { cel: wireNameCel('self'), message: wireNameMessage, holds: isWireName };

const oneEnvironment = ruled(
  z.string().min(1).max(100).meta({
    description: 'The environment of a client or frontend token, by its name in the API. Others have none. Immutable.',
  }),
  urlFriendly,
  {
    cel: "self != '*'",
    message: '* is no environment: a client or frontend token is for one',
    holds: (name) => name !== '*',
  },
);

const someProjects = ruled(
  setOf(
    ruled(z.string().min(1).max(100), urlFriendly),
    100,
    'Ids of the projects of a client or frontend token. Absent: all. Others have none. Immutable.',
  ),
  {
    cel: "self.size() > 0 && !('*' in self)",
    message: 'names no projects, or *: leave it out for all projects',
    holds: (list) => !list || (list.length > 0 && !list.includes('*')),
  },
);

const spec = ruled(
  z.object({
    name: printableName('The name in the API. Absent: metadata.name. Immutable.').optional(),
    type: z.enum(tokenTypes).meta({
      description:
        'admin: may do everything. client, frontend: read the flags of one environment. personal: acts as its user. Immutable.',
    }),
    projects: someProjects.optional(),
    environment: oneEnvironment.optional(),
    user: z.string().min(1).max(100).optional().meta({
      description: 'The username of the FlagUser that a personal token acts as. Others have none. Immutable.',
    }),
    description: text(1000, 'The purpose of the token.').optional(),
    expiresAt: pointInTime('The token is rejected from this time on. Absent: it never expires.').optional(),
    secretRef: z
      .object({
        name: z
          .string()
          .min(1)
          .max(253)
          .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
          .meta({ description: 'The name of the Secret, in the namespace of the ApiToken.' }),
      })
      .optional()
      .meta({
        description: `The Secret whose key token holds the value: 16 to 512 visible ASCII characters. It must have the label ${TOKEN_LABEL} with the name of this ApiToken (for a name above 63 characters, the status shows the required value). Absent: a value is generated into the Secret vexil-token-NAME, see status.secretName. Immutable.`,
      }),
  }),
  {
    field: 'environment',
    cel: `(${isScopedCel}) == has(self.environment)`,
    message: 'a client or frontend token needs the environment that it is for, and others have none',
    holds: ({ type, environment }) => scoped.includes(type) === (environment !== undefined),
  },
  {
    field: 'projects',
    cel: `${isScopedCel} || !has(self.projects) || dyn(self.projects) == null`,
    message: 'only client and frontend tokens are for some projects: leave it out',
    holds: ({ type, projects }) => scoped.includes(type) || !projects,
  },
  {
    field: 'user',
    cel: "(self.type == 'personal') == has(self.user)",
    message: 'a personal token needs the user that it acts as, and others have none',
    holds: ({ type, user }) => (type === 'personal') === (user !== undefined),
  },
);
export type ApiTokenSpec = z.infer<typeof spec>;

const status = z.object({
  ...statusFields,
  sha256: z
    .string()
    .max(64)
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({
      description:
        'SHA-256 of the value, in hex. Absent: the value or the user of a personal token does not exist yet, so the token is not valid.',
    }),
  userId: optionalNumber(
    'The id of the user of a personal token, recorded when the token gets its value: a later user of the same name cannot use the token. 0: the user did not exist any more when ids were first recorded.',
  ),
  secretName: text(253, 'The Secret that holds the value.').optional(),
  seenAt: optionalTime('When the token was last used, accurate to about an hour.'),
});
export type ApiTokenStatus = z.infer<typeof status>;

export type ApiToken = CustomObject<ApiTokenSpec, ApiTokenStatus>;

const isSpec = (object: string) => `has(${object}.spec) && ${object}.spec != null`;
const projectsCel = (object: string) =>
  `(${isSpec(object)} && has(${object}.spec.projects) && dyn(${object}.spec.projects) != null ? ${object}.spec.projects : [])`;
const secretCel = (object: string) =>
  `(${isSpec(object)} && has(${object}.spec.secretRef) ? ${object}.spec.secretRef.name : '')`;
const textCel = (field: string) => (object: string) => effectiveCel(object, field, "''");

/** Fields that determine the rights of a token are immutable: other rights need a new token. */
const immutable: Readonly<Record<string, (object: string) => string>> = {
  type: textCel('type'),
  user: textCel('user'),
  environment: textCel('environment'),
  projects: projectsCel,
  secretRef: secretCel,
};

const tokenRules: readonly RootRule[] = [
  { rule: isSpec('self'), message: 'spec is required: say at least which type of token', fieldPath: '.spec' },
  ...Object.entries(immutable).map(([field, cel]) => ({
    rule: `${cel('self')} == ${cel('oldSelf')}`,
    message: `spec.${field} is immutable: create another token`,
    fieldPath: `.spec.${field}`,
  })),
];

export const apiToken = defineKind<ApiTokenSpec, ApiTokenStatus>({
  kind: 'ApiToken',
  shortNames: ['ftoken'],
  description:
    'A request for a token of the API. Its value is generated into a Secret or read from one; the object stores only its SHA-256. Deleting the ApiToken revokes it. Tokens live in the operator namespace.',
  namespaces: 'operator',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'admin, client, frontend or personal.' },
    { name: 'Environment', type: 'string', jsonPath: '.spec.environment', description: 'The environment it is for.' },
    { name: 'User', type: 'string', jsonPath: '.spec.user', description: 'The user that it acts as.' },
    // A string column: kubectl shows a date as the time since then, which does not work for the future.
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', description: 'When it expires; blank: never.' },
    { name: 'Seen', type: 'date', jsonPath: '.status.seenAt', description: 'Time since it was last used.' },
    ...closingColumns('the token is valid'),
  ],
  selectableFields: ['.spec.type'],
  rootRules: [...nameRules(), ...tokenRules],
  preservedStatus: ['sha256', 'userId', 'seenAt'],
});
