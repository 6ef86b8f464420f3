/** The Environment kind: a stage in which flags are switched, such as development or production. */
import { z } from 'zod';
import { closingColumns, defineKind, type RootRule } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { approvals, settingsGrants } from './approvals.ts';
import { statusFields } from './condition.ts';
import { nameCel, nameRules } from './fields/name-rules.ts';
import { ruled } from './fields/rule.ts';
import { optionalNumber, optionalTime, setOf, text, timestamp, wireName } from './fields/shapes.ts';
import { freezeStatus, freezes } from './freeze.ts';

/** Maximum for one clone. */
export const MAX_CLONED_PROJECTS = 200;

const cloneIsImmutable =
  'spec.clone is immutable, and only a new environment can be a clone: create another environment';

const clone = ruled(
  z
    .object({
      from: wireName('The environment to copy.'),
      projects: setOf(
        z.string().min(1).max(100),
        MAX_CLONED_PROJECTS,
        'Ids of the projects whose flags are copied. Absent: no flags are copied.',
      ).optional(),
      permissions: z
        .boolean()
        .optional()
        .meta({ description: 'Copies the permissions that roles have in the source environment. Absent: true.' }),
    })
    .meta({
      description:
        'Copies another environment into this one, once: switch, strategies and variants of every flag of the projects. Flags that already configure this environment are not changed. Immutable.',
    }),
  // A stored object has no older version to compare with.
  { cel: 'self == oldSelf', message: cloneIsImmutable, holds: () => true },
);

/** Lower values come first in lists. */
export const sortOrder = z.int().min(0).max(2147483647);

/** The fields that decide what is in effect, and the rules for changes. */
export const environmentSettings = {
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'Projects that list no environments use this one. Absent: true.' }),
  protected: z.boolean().optional().meta({ description: 'The environment cannot be deleted. Absent: false.' }),
  freezes: freezes.optional(),
  approvals: approvals.optional(),
};

const spec = z.object({
  name: wireName('The name in the API. Absent: metadata.name. Immutable.').optional(),
  type: z.string().min(1).max(50).optional().meta({
    description:
      'The purpose of the environment: development, test, pre-production or production. Absent: development.',
  }),
  displayName: text(200, 'The display name. Absent: the name.').optional(),
  ...environmentSettings,
  sortOrder: sortOrder
    .optional()
    .meta({ description: 'Position in lists, in ascending order. Absent: 9999, that is, last.' }),
  clone: clone.optional(),
});
export type EnvironmentSpec = z.infer<typeof spec>;

const clonePhases = ['Waiting', 'Validating', 'Copying', 'Done', 'Failed'] as const;

const cloneStatus = z.object({
  phase: z.enum(clonePhases).meta({
    description:
      'Waiting: for another object. Validating: nothing is written yet. Done and Failed are final; a failed clone has written no flag.',
  }),
  flags: optionalNumber('Number of flags to copy.'),
  copied: optionalNumber('Number of these flags that configure this environment.'),
  message: text(1024, 'Why the clone failed; for a finished clone, which flags could not be copied.').optional(),
  startedAt: timestamp.optional(),
  finishedAt: timestamp.optional(),
});
export type CloneStatus = z.infer<typeof cloneStatus>;

const status = z.object({
  ...statusFields,
  clone: cloneStatus.optional().meta({ description: 'Progress of the clone in the spec.' }),
  freeze: freezeStatus.optional().meta({ description: 'The freeze that is in force. Absent: none is.' }),
  changedByTimeAt: optionalTime('When a freeze last began or ended; the history has everything up to then.'),
  projectCount: optionalNumber('Number of projects that use the environment.'),
  apiTokenCount: optionalNumber('Number of API tokens for the environment.'),
  enabledToggleCount: optionalNumber('Number of flags that are on in the environment.'),
  grants: settingsGrants.optional(),
});
export type EnvironmentStatus = z.infer<typeof status>;

export type Environment = CustomObject<EnvironmentSpec, EnvironmentStatus>;

const isClone = (object: string) => `(has(${object}.spec) && ${object}.spec != null && has(${object}.spec.clone))`;

const cloneRules: readonly RootRule[] = [
  {
    rule: `${isClone('self')} == ${isClone('oldSelf')}`,
    message: cloneIsImmutable,
    fieldPath: '.spec.clone',
  },
  {
    rule: `!${isClone('self')} || self.spec.clone.from != ${nameCel('self', 'name')}`,
    message: 'spec.clone.from names this environment itself: name the one that is to be copied',
    fieldPath: '.spec.clone.from',
  },
];

export const environment = defineKind<EnvironmentSpec, EnvironmentStatus>({
  kind: 'Environment',
  shortNames: ['fenv'],
  description:
    'A stage in which flags are switched, such as development or production. Environments live in the operator namespace.',
  namespaces: 'operator',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The purpose; blank: development.' },
    { name: 'Protected', type: 'boolean', jsonPath: '.spec.protected', description: 'Whether it cannot be deleted.' },
    {
      name: 'Approvals',
      type: 'integer',
      jsonPath: '.spec.approvals.required',
      description: 'How many people must approve a change; blank: nobody.',
      priority: 1,
    },
    {
      name: 'Freeze',
      type: 'string',
      jsonPath: '.status.freeze.name',
      description: 'The freeze that is in force; blank: none is.',
    },
    {
      name: 'Frozen Until',
      type: 'string',
      jsonPath: '.status.freeze.until',
      description: 'When the freeze ends.',
      priority: 1,
    },
    { name: 'Order', type: 'integer', jsonPath: '.spec.sortOrder', description: 'Position in lists.' },
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
      description: 'Phase of the clone; blank: not a clone.',
      priority: 1,
    },
    ...closingColumns('it is in use'),
  ],
  selectableFields: ['.spec.type'],
  rootRules: [...nameRules(), ...cloneRules],
  preservedStatus: ['clone'],
});
