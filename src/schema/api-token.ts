/** The ApiToken kind: a request for a token of the API, whose value is in a Secret and never here. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind, type RootRule } from './kind.ts';
import { effectiveCel, nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { ruled } from './rule.ts';
import { isWireName, printableName, setOf, text, timestamp, wireNameCel, wireNameMessage } from './shapes.ts';

/** On a Secret: the ApiToken that may take its value from there. */
export const TOKEN_LABEL = 'vexil.dev/token';

export const tokenTypes = ['admin', 'client', 'frontend', 'personal'] as const;

/** The types that are for one environment, and may be for some projects only (facts §8). */
const scoped: readonly string[] = ['client', 'frontend'];
const isScopedCel = `self.type in [${scoped.map((type) => `'${type}'`).join(', ')}]`;

const urlFriendly = { cel: wireNameCel('self'), message: wireNameMessage, holds: isWireName };

const oneEnvironment = ruled(
  z.string().min(1).max(100).meta({
    description: 'The environment of a client or frontend token, by its wire name. Others have none. Immutable.',
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
    name: printableName('The name on the wire. Absent: metadata.name. Immutable.').optional(),
    type: z.enum(tokenTypes).meta({
      description:
        'admin: may do everything. client, frontend: read flags of an environment. personal: acts as its user. Immutable.',
    }),
    projects: someProjects.optional(),
    environment: oneEnvironment.optional(),
    user: z.string().min(1).max(100).optional().meta({
      description: 'The username of the FlagUser that a personal token acts as. Others have none. Immutable.',
    }),
    description: text(1000, 'What it is for.').optional(),
    expiresAt: z
      .string()
      .max(40)
      .regex(/^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/)
      .refine((time) => Number.isFinite(Date.parse(time)), { message: 'must be a time that exists' })
      .optional()
      .meta({ description: 'From then on it is refused. Absent: never.', format: 'date-time' }),
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
        description: `The Secret whose key token holds the value: 16 to 512 visible ASCII characters. It must have the label ${TOKEN_LABEL} with the name of this ApiToken (of a name above 63 characters the status says what it must be). Absent: a value is generated into the Secret vexil-token-NAME, see status.secretName. Immutable.`,
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
  ...judged,
  sha256: z
    .string()
    .max(64)
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({
      description:
        'SHA-256 of the value, in hex. Absent: there is no value, or no user yet that a personal token is for, so the token is not in force.',
    }),
  userId: z.int().min(0).optional().meta({
    description:
      'The id of the user that a personal token is for, noted when the token gets its value: another user of the same name is not let in. 0: the user was gone when ids were first noted.',
  }),
  secretName: text(253, 'The Secret that holds the value.').optional(),
  seenAt: timestamp.optional().meta({ description: 'When it was last used, to the hour or so.', format: 'date-time' }),
});
export type ApiTokenStatus = z.infer<typeof status>;

export type ApiToken = CustomObject<ApiTokenSpec, ApiTokenStatus>;

const isSpec = (object: string) => `has(${object}.spec) && ${object}.spec != null`;
const projectsCel = (object: string) =>
  `(${isSpec(object)} && has(${object}.spec.projects) && dyn(${object}.spec.projects) != null ? ${object}.spec.projects : [])`;
const secretCel = (object: string) =>
  `(${isSpec(object)} && has(${object}.spec.secretRef) ? ${object}.spec.secretRef.name : '')`;
const textCel = (field: string) => (object: string) => effectiveCel(object, field, "''");

/** What a token may do never changes without anybody having to ask for a new one. */
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

export const apiToken: Kind<ApiTokenSpec, ApiTokenStatus> = {
  kind: 'ApiToken',
  plural: 'apitokens',
  singular: 'apitoken',
  shortNames: ['ftoken'],
  description:
    "A request for a token of the API. Its value is generated into a Secret, or taken from one; here is only its SHA-256. Deleting the ApiToken revokes it. Tokens live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'admin, client, frontend or personal.' },
    { name: 'Environment', type: 'string', jsonPath: '.spec.environment', description: 'The environment it is for.' },
    { name: 'User', type: 'string', jsonPath: '.spec.user', description: 'The user that it acts as.' },
    // As text: kubectl shows a date as the time since then, and has no words for one to come.
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', description: 'When it expires; blank: never.' },
    { name: 'Seen', type: 'date', jsonPath: '.status.seenAt', description: 'Time since it was last used.' },
    ...closingColumns('the token is in force'),
  ],
  selectableFields: ['.spec.type'],
  rootRules: [...nameRules(), ...tokenRules],
  lasting: ['sha256', 'userId', 'seenAt'],
  freeForm: [],
  isolated: [],
};
