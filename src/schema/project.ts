/** The Project kind: a group of flags with the environments they use, and the people who look after them. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { ruled } from './rule.ts';
import { mapOf, setOf, text, wireName } from './shapes.ts';

const flagNaming = ruled(
  z
    .object({
      pattern: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: 'Regular expression (RE2) that whole names of new flags must match.' }),
      example: text(100, 'A name that matches.').optional(),
      description: text(1000, 'The convention in words.').optional(),
    })
    .nullable()
    .meta({ description: 'How flags of this project are named. Existing flags that differ get a warning.' }),
  {
    cel: "!has(self.example) || self.example.matches('^(?:' + self.pattern + ')$')",
    message: 'example must match pattern, and pattern must be a regular expression that RE2 accepts',
    /** Not asked again of what is stored: a pattern that cannot be used is judged as InvalidNamingPattern. */
    holds: () => true,
  },
);

const spec = z.object({
  name: wireName(
    'The id on the wire, unique in all namespaces that are watched: it belongs to the namespace that used it first. Absent: metadata.name. Immutable.',
  ).optional(),
  displayName: text(200, 'The name for people. Absent: the id.').optional(),
  description: text(4096, 'What the project is about.').optional(),
  defaultStickiness: text(100, 'Stickiness that new strategies start with. Absent: default.').optional(),
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
  flagNaming: flagNaming.optional(),
  managedFields: z.enum(['Reject', 'TakeOver']).optional().meta({
    description:
      'What the admin API does with fields that a GitOps tool owns. Reject (also when absent): refuses with 409. TakeOver: writes them.',
  }),
});
export type ProjectSpec = z.infer<typeof spec>;

const status = z.object({
  ...judged,
  flags: z.int().min(0).optional().meta({ description: 'How many flags there are, archived ones not counted.' }),
  members: z.int().min(0).optional().meta({ description: 'How many members there are.' }),
  memberIds: mapOf(
    z.int().min(1),
    1000,
    'The id of the user that each member is, by user name, noted when the member is first seen: another user of the same name is no member.',
  ).optional(),
  health: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: 'Percentage of flags that are neither stale nor past their lifetime.' }),
});
export type ProjectStatus = z.infer<typeof status>;

export type Project = CustomObject<ProjectSpec, ProjectStatus>;

export const project: Kind<ProjectSpec, ProjectStatus> = {
  kind: 'Project',
  plural: 'projects',
  singular: 'project',
  shortNames: ['fp'],
  description:
    'A group of feature flags in one namespace: the environments they use, how they are named, and its members.',
  spec,
  status,
  columns: [
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    { name: 'Flags', type: 'integer', jsonPath: '.status.flags', description: 'Flags that are not archived.' },
    { name: 'Members', type: 'integer', jsonPath: '.status.members', description: 'Members with a role.' },
    { name: 'Health', type: 'integer', jsonPath: '.status.health', description: 'Percentage of flags in good order.' },
    ...closingColumns('the project is in use'),
  ],
  selectableFields: [],
  rootRules: nameRules(),
  lasting: ['memberIds'],
  freeForm: [],
  isolated: ['members'],
};
