/** The FeatureFlag kind: one flag with its switch and strategies for each environment. */

import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { DNS_LABEL } from '../model/patterns.ts';
import { flagGrants } from './approvals.ts';
import { statusFields } from './condition.ts';
import { dependencies } from './dependency.ts';
import { effectiveCel, nameCel, nameRules } from './fields/name-rules.ts';
import { ruled } from './fields/rule.ts';
import {
  isWireName,
  mapOf,
  optionalTime,
  pointInTime,
  setOf,
  text,
  timestamp,
  wireName,
  wireNameCel,
  wireNameMessage,
} from './fields/shapes.ts';
import { MAX_TAGS, tag } from './fields/tag.ts';
import { MAX_RAMP_STEPS } from './ramp.ts';
import { strategy } from './strategy.ts';
import { MAX_VARIANTS, variantList } from './variant.ts';

export const flagTypes = ['release', 'experiment', 'operational', 'kill-switch', 'permission'] as const;
export type FlagType = (typeof flagTypes)[number];

/** Maximum for one environment. */
export const MAX_STRATEGIES = 30;
/** Maximum for one flag. */
export const MAX_ENVIRONMENTS = 30;

const strategies = ruled(
  mapOf(
    strategy.nullable(),
    MAX_STRATEGIES,
    'Strategies by id: a DNS label of your choice or a UUID. The flag is on for users to whom at least one of them applies.',
  ),
  {
    cel: `self.all(k, k.matches('${DNS_LABEL.source}'))`,
    message:
      'the key of a strategy must be a DNS label: 1 to 63 of the characters a-z 0-9 -, not starting or ending with -',
    holds: (map) => Object.keys(map ?? {}).every((key) => DNS_LABEL.test(key)),
  },
);

const environmentShape = z.object({
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'The switch. Absent: off. The flag is on only if at least one strategy is enabled.' }),
  activeFrom: pointInTime(
    'The flag is off before this time, whatever the switch says. Absent: no such time.',
  ).optional(),
  activeUntil: pointInTime(
    'The flag is off from this time on, whatever the switch says. Absent: no such time.',
  ).optional(),
  strategies: strategies.optional(),
  variants: variantList(MAX_VARIANTS.ofEnvironment, 'Replaces spec.variants in this environment.').optional(),
});

export const flagEnvironment = ruled(environmentShape, {
  cel: '!has(self.activeFrom) || !has(self.activeUntil) || self.activeFrom < self.activeUntil',
  message: 'activeUntil must be after activeFrom',
  holds: ({ activeFrom, activeUntil }) =>
    activeFrom === undefined || activeUntil === undefined || Date.parse(activeFrom) < Date.parse(activeUntil),
  field: 'activeUntil',
});
export type FlagEnvironment = z.infer<typeof flagEnvironment>;

const environments = ruled(
  mapOf(
    flagEnvironment.nullable(),
    MAX_ENVIRONMENTS,
    'The configuration in each environment, by the name of the environment.',
  ),
  {
    cel: `self.all(k, ${wireNameCel('k')})`,
    message: `the key of an environment is its name, which ${wireNameMessage}`,
    holds: (map) => Object.keys(map ?? {}).every(isWireName),
  },
);

/** The metadata fields, each of which may be absent. */
export const metadataShape = {
  type: z
    .enum(flagTypes)
    .meta({ description: 'What the flag is for; decides how long it should live. Absent: release.' }),
  description: text(4096, 'What the flag does, for people.'),
  impressionData: z.boolean().meta({ description: 'Clients report each evaluation. Absent: false.' }),
  stale: z.boolean().meta({ description: 'The flag has done its work; remove it from the code. Absent: false.' }),
  lifetimeDays: z.int().min(1).max(3650).meta({
    description: 'How many days the flag is expected to live; then it is potentially stale. Absent: as its type says.',
  }),
} as const;
export type MetadataField = keyof typeof metadataShape;

const spec = z.object({
  project: wireName('The project, by its name in the API, in this namespace. Absent: default. Immutable.').optional(),
  name: wireName(
    'The name in the API and for SDKs, unique in all watched namespaces: a name belongs to the namespace that used it first. Absent: metadata.name. Immutable.',
  ).optional(),
  ...z.object(metadataShape).partial().shape,
  archived: z
    .boolean()
    .optional()
    .meta({ description: 'The flag is off everywhere and hidden; its name stays reserved. Absent: false.' }),
  tags: setOf(tag, MAX_TAGS, 'Tags as type:value, for example simple:payments.').optional(),
  dependencies: dependencies.optional(),
  variants: variantList(MAX_VARIANTS.ofFlag, 'The values that clients choose from, in all environments.').optional(),
  environments: environments.optional(),
});
export type FlagSpec = z.infer<typeof spec>;

export const windowStates = ['Scheduled', 'Open', 'Closed'] as const;
export const rampStates = ['Waiting', 'Scheduled', 'Running', 'Paused', 'Completed'] as const;

const rampEffect = z.object({
  state: z.enum(rampStates).meta({ description: 'How far the ramp is.' }),
  rollout: z.int().min(0).max(100).meta({ description: 'The percentage that is in effect.' }),
  nextChangeAt: optionalTime('When the next step begins.'),
  stepsAt: z
    .array(timestamp)
    .max(MAX_RAMP_STEPS)
    .optional()
    .meta({ description: 'When each step begins, where freezes of the environment move them.' }),
});

const effect = z.object({
  enabled: z.boolean().meta({ description: 'Whether the flag is effectively on in this environment.' }),
  strategies: z.int().min(0).meta({ description: 'Number of strategies.' }),
  window: z
    .enum(windowStates)
    .optional()
    .meta({ description: 'Whether the time is before, between or after activeFrom and activeUntil.' }),
  nextChangeAt: optionalTime('When time alone next changes what is in effect here.'),
  ramps: z
    .record(z.string(), rampEffect)
    .optional()
    .meta({ description: 'The ramps by the key of their strategy.', maxProperties: MAX_STRATEGIES }),
});
export type EnvironmentEffect = z.infer<typeof effect>;

const status = z.object({
  ...statusFields,
  environments: z.record(z.string(), effect).optional().meta({
    description: 'The effect in each environment that the flag configures.',
    maxProperties: MAX_ENVIRONMENTS,
  }),
  enabledIn: text(4096, 'The environments where the flag is on, for the column.').optional(),
  askedIn: text(4096, 'The environments where the switch is on, whether or not the flag is.').optional(),
  nextChangeAt: optionalTime('When time alone next changes what is in effect in any environment.'),
  changedByTimeAt: optionalTime(
    'When time alone last changed what is in effect; the history has everything up to then.',
  ),
  grants: flagGrants.optional(),
  lastSeenAt: optionalTime('When an SDK last reported an evaluation of the flag; written at most once a day.'),
});
export type FlagStatus = z.infer<typeof status>;

export type FeatureFlag = CustomObject<FlagSpec, FlagStatus>;

const projectOf = (object: string) => effectiveCel(object, 'project', "'default'");

export const featureFlag = defineKind<FlagSpec, FlagStatus>({
  kind: 'FeatureFlag',
  shortNames: ['ff'],
  description:
    'A feature flag: metadata, variants, and for each environment a switch and strategies. kubectl, Git and the admin API can each own some of its fields.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Project', type: 'string', jsonPath: '.spec.project', description: 'The project; blank: default.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The flag type; blank: release.' },
    { name: 'Enabled', type: 'string', jsonPath: '.status.enabledIn', description: 'Where the flag is on.' },
    {
      name: 'Asked',
      type: 'string',
      jsonPath: '.status.askedIn',
      description: 'Where the switch is on; not among Enabled: the flag is off there all the same.',
      priority: 1,
    },
    {
      name: 'Next Change',
      type: 'string',
      jsonPath: '.status.nextChangeAt',
      description: 'When a window opens or closes or a ramp goes on; blank: nothing is planned.',
      priority: 1,
    },
    { name: 'Stale', type: 'boolean', jsonPath: '.spec.stale', description: 'Whether the flag is no longer needed.' },
    {
      name: 'Archived',
      type: 'boolean',
      jsonPath: '.spec.archived',
      description: 'Whether the flag is archived.',
      priority: 1,
    },
    {
      name: 'Usage',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Usage")].reason',
      description: 'Whether SDKs ask for the flag, or why it can go.',
      priority: 1,
    },
    {
      name: 'Last Seen',
      type: 'date',
      jsonPath: '.status.lastSeenAt',
      description: 'On which day an SDK last reported the flag.',
      priority: 1,
    },
    ...closingColumns('all of the flag is in effect'),
  ],
  selectableFields: ['.spec.project', '.spec.type'],
  rootRules: [
    ...nameRules(),
    {
      rule: `${projectOf('self')} == ${projectOf('oldSelf')}`,
      message: 'spec.project is immutable (absent means default): delete the flag, then create it in the other project',
      fieldPath: '.spec.project',
    },
    {
      rule: `!has(self.spec) || self.spec == null || !has(self.spec.dependencies) || dyn(self.spec.dependencies) == null || self.spec.dependencies.all(d, d.feature != ${nameCel('self', 'name')})`,
      message: 'a flag cannot depend on itself: name another flag',
      fieldPath: '.spec.dependencies',
    },
  ],
  preservedStatus: ['lastSeenAt'],
  preserveNulls: ['parameters'],
  independentMaps: ['environments'],
  items: [{ at: ['environments', '*', 'strategies'], order: 'sortOrder', needs: 'name' }],
});
