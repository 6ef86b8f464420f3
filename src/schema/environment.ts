/** The Environment kind: a stage that flags are switched in, such as development or production. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind, type RootRule } from './kind.ts';
import { nameCel, nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { ruled } from './rule.ts';
import { setOf, text, timestamp, wireName } from './shapes.ts';

/** In one clone. */
export const MOST_CLONED_PROJECTS = 200;

const onceAndForAll = 'spec.clone is immutable, and only a new environment can be a clone: create another environment';

const clone = ruled(
  z
    .object({
      from: wireName('The environment that is copied.'),
      projects: setOf(
        z.string().min(1).max(100),
        MOST_CLONED_PROJECTS,
        'Ids of the projects whose flags are copied. Absent: none.',
      ).optional(),
      permissions: z
        .boolean()
        .optional()
        .meta({ description: 'Copies permissions that roles have in the environment that is copied. Absent: true.' }),
    })
    .meta({
      description:
        'Makes this environment a copy of another, once: switch, strategies and variants of every flag of the projects. A flag that says something about this environment already is left alone. Immutable.',
    }),
  // What is stored has no older version to be compared with.
  { cel: 'self == oldSelf', message: onceAndForAll, holds: () => true },
);

/** Lower is higher up in lists. */
export const sortOrder = z.int().min(0).max(2147483647);

const spec = z.object({
  name: wireName('The name on the wire. Absent: metadata.name. Immutable.').optional(),
  type: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'What it is used for: development, test, pre-production, production. Absent: development.' }),
  displayName: text(200, 'The name for people. Absent: the name.').optional(),
  enabled: z.boolean().optional().meta({ description: 'Projects that name no environments use it. Absent: true.' }),
  protected: z.boolean().optional().meta({ description: 'It cannot be deleted. Absent: false.' }),
  sortOrder: sortOrder
    .optional()
    .meta({ description: 'Place in lists, lower is higher up. Absent: 9999, that is, last.' }),
  clone: clone.optional(),
});
export type EnvironmentSpec = z.infer<typeof spec>;

const clonePhases = ['Waiting', 'Validating', 'Copying', 'Done', 'Failed'] as const;

const cloneStatus = z.object({
  phase: z.enum(clonePhases).meta({
    description:
      'Waiting: for another object. Validating: nothing is written yet. Done and Failed are for good; when it failed, no flag was written.',
  }),
  flags: z.int().min(0).optional().meta({ description: 'Flags of the projects that say something to be copied.' }),
  copied: z.int().min(0).optional().meta({ description: 'How many of them say something about this environment.' }),
  message: text(1024, 'Why it failed; of a clone that is done, which flags could not be copied.').optional(),
  startedAt: timestamp.optional(),
  finishedAt: timestamp.optional(),
});
export type CloneStatus = z.infer<typeof cloneStatus>;

const status = z.object({
  ...judged,
  clone: cloneStatus.optional().meta({ description: 'How far the clone is that the spec asks for.' }),
  projectCount: z.int().min(0).optional().meta({ description: 'Projects that use it.' }),
  apiTokenCount: z.int().min(0).optional().meta({ description: 'API tokens for it.' }),
  enabledToggleCount: z.int().min(0).optional().meta({ description: 'Flags that are on in it.' }),
});
export type EnvironmentStatus = z.infer<typeof status>;

export type Environment = CustomObject<EnvironmentSpec, EnvironmentStatus>;

const isClone = (object: string) => `(has(${object}.spec) && ${object}.spec != null && has(${object}.spec.clone))`;

const cloneRules: readonly RootRule[] = [
  {
    rule: `${isClone('self')} == ${isClone('oldSelf')}`,
    message: onceAndForAll,
    fieldPath: '.spec.clone',
  },
  {
    rule: `!${isClone('self')} || self.spec.clone.from != ${nameCel('self', 'name')}`,
    message: 'spec.clone.from names this environment itself: name the one that is to be copied',
    fieldPath: '.spec.clone.from',
  },
];

export const environment: Kind<EnvironmentSpec, EnvironmentStatus> = {
  kind: 'Environment',
  plural: 'environments',
  singular: 'environment',
  shortNames: ['fenv'],
  description:
    "A stage that flags are switched in, such as development or production. Environments live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'What it is used for; blank: development.' },
    { name: 'Protected', type: 'boolean', jsonPath: '.spec.protected', description: 'Whether it cannot be deleted.' },
    { name: 'Order', type: 'integer', jsonPath: '.spec.sortOrder', description: 'Place in lists.' },
    { name: 'Projects', type: 'integer', jsonPath: '.status.projectCount', description: 'Projects that use it.' },
    {
      name: 'Enabled',
      type: 'integer',
      jsonPath: '.status.enabledToggleCount',
      description: 'Flags that are on in it.',
    },
    {
      name: 'Clone',
      type: 'string',
      jsonPath: '.status.clone.phase',
      description: 'How far its clone is; blank: it is none.',
      priority: 1,
    },
    ...closingColumns('it is in use'),
  ],
  selectableFields: ['.spec.type'],
  rootRules: [...nameRules(), ...cloneRules],
  lasting: ['clone'],
  freeForm: [],
  isolated: [],
};
