/** The Project kind: a group of flags with their environments and members. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { settingsGrants } from './approvals.ts';
import { statusFields } from './condition.ts';
import { nameRules } from './fields/name-rules.ts';
import { ruled } from './fields/rule.ts';
import { mapOf, optionalNumber, setOf, text, wireName } from './fields/shapes.ts';

const flagNaming = ruled(
  z
    .object({
      pattern: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: 'Regular expression (RE2) that the whole name of a new flag must match.' }),
      example: text(100, 'A name that matches.').optional(),
      description: text(1000, 'The convention in words.').optional(),
    })
    .nullable()
    .meta({
      description: 'The naming convention for flags of this project. Existing flags that violate it get a warning.',
    }),
  {
    cel: "!has(self.example) || self.example.matches('^(?:' + self.pattern + ')$')",
    message: 'example must match pattern, and pattern must be a regular expression that RE2 accepts',
    /** Not checked for stored objects: an unusable pattern becomes the condition reason InvalidNamingPattern. */
    holds: () => true,
  },
);

export const usedFlags = z.enum(['Warn', 'Refuse']).meta({
  description:
    'How the admin API treats the removal of a flag that SDKs asked for in production in the last 24 hours. Warn (the default): removes it and warns. Refuse: rejects it with 409.',
});

const MAX_URL_LENGTH = 2_000;

/** The fields that decide what is in effect, and who may decide about it. */
export const projectSettings = {
  environments: setOf(
    z.string().min(1).max(100),
    30,
    'Names of the environments that flags of this project use. Absent: all that are enabled.',
  ).optional(),
  members: mapOf(
    z.string().min(1).max(100).nullable(),
    1000,
    'The role of each member, by user name: owner, member, or the name of a FlagRole.',
  ).optional(),
};

const spec = z.object({
  name: wireName(
    'The id in the API, unique in all watched namespaces: an id belongs to the namespace that used it first. Absent: metadata.name. Immutable.',
  ).optional(),
  displayName: text(200, 'The display name. Absent: the id.').optional(),
  description: text(4096, 'What the project is about.').optional(),
  defaultStickiness: text(
    100,
    'The stickiness of new strategies: the field of the context that keeps a user in the same share. `default` is userId, without one sessionId, without both chance. Absent: default.',
  ).optional(),
  ...projectSettings,
  flagNaming: flagNaming.optional(),
  managedFields: z.enum(['Reject', 'TakeOver']).optional().meta({
    description:
      'How the admin API treats fields that a GitOps tool owns. Reject (the default): rejects the change with 409. TakeOver: writes them.',
  }),
  editUrl: z
    .string()
    .max(MAX_URL_LENGTH)
    .regex(/^https?:\/\/[^\s@]+$/, { error: 'must be the URL of a web page, without a user' })
    .optional()
    .meta({
      description:
        'The address at which people change the manifest of a flag in Git, with {namespace}, {name}, {flag} and {project} in place of its names. The console links to it.',
    }),
  usedFlags: usedFlags.optional(),
  alerts: z.enum(['Reject', 'Force']).optional().meta({
    description:
      'How alerts that act treat fields that a GitOps tool owns. Reject (the default): the flag stays as it is, and gets a Warning Event. Force: alerts write them.',
  }),
});
export type ProjectSpec = z.infer<typeof spec>;

const status = z.object({
  ...statusFields,
  flags: optionalNumber('Number of flags that are not archived.'),
  members: optionalNumber('Number of members.'),
  memberIds: mapOf(
    z.int().min(1),
    1000,
    'The user id of each member, by user name, recorded when the member is first seen: a later user of the same name is not a member.',
  ).optional(),
  health: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: 'Percentage of flags that are neither stale nor past their lifetime.' }),
  grants: settingsGrants.optional(),
});
export type ProjectStatus = z.infer<typeof status>;

export type Project = CustomObject<ProjectSpec, ProjectStatus>;

export const project = defineKind<ProjectSpec, ProjectStatus>({
  kind: 'Project',
  shortNames: ['fp'],
  description: 'A group of feature flags in one namespace: environments, naming convention and members.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    { name: 'Flags', type: 'integer', jsonPath: '.status.flags', description: 'Flags that are not archived.' },
    { name: 'Members', type: 'integer', jsonPath: '.status.members', description: 'Members with a role.' },
    {
      name: 'Health',
      type: 'integer',
      jsonPath: '.status.health',
      description: 'Percentage of flags that are neither stale nor past their lifetime.',
    },
    ...closingColumns('the project is in use'),
  ],
  rootRules: nameRules(),
  preservedStatus: ['memberIds'],
  independentMaps: ['members'],
});
