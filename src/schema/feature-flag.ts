/** The FeatureFlag kind: one flag with its switch and strategies for each environment. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { effectiveCel, nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { ruled } from './rule.ts';
import { isWireName, mapOf, setOf, text, timestamp, wireName, wireNameCel, wireNameMessage } from './shapes.ts';
import { strategy } from './strategy.ts';
import { MOST_TAGS, tag } from './tag.ts';
import { mostVariants, variantList } from './variant.ts';

export const flagTypes = ['release', 'experiment', 'operational', 'kill-switch', 'permission'] as const;
export type FlagType = (typeof flagTypes)[number];

/** In one environment. */
export const MOST_STRATEGIES = 30;
/** Of one flag. */
export const MOST_ENVIRONMENTS = 30;

const STRATEGY_KEY = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const strategies = ruled(
  mapOf(
    strategy.nullable(),
    MOST_STRATEGIES,
    'Strategies by id: a DNS label of your choice or a UUID. The flag is on for whom any of them applies to.',
  ),
  {
    cel: "self.all(k, k.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'))",
    message:
      'the key of a strategy must be a DNS label: 1 to 63 of the characters a-z 0-9 -, not starting or ending with -',
    holds: (map) => Object.keys(map ?? {}).every((key) => STRATEGY_KEY.test(key)),
  },
);

const flagEnvironment = z.object({
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'The switch. Absent: off. On needs at least one strategy that is not disabled.' }),
  strategies: strategies.optional(),
  variants: variantList(mostVariants.ofEnvironment, 'Replaces spec.variants in this environment.').optional(),
});
export type FlagEnvironment = z.infer<typeof flagEnvironment>;

const environments = ruled(
  mapOf(
    flagEnvironment.nullable(),
    MOST_ENVIRONMENTS,
    'What holds in each environment, by the name of the environment.',
  ),
  {
    cel: `self.all(k, ${wireNameCel('k')})`,
    message: `the key of an environment is its name, which ${wireNameMessage}`,
    holds: (map) => Object.keys(map ?? {}).every(isWireName),
  },
);

const spec = z.object({
  project: wireName('The project, by its wire name, in this namespace. Absent: default. Immutable.').optional(),
  name: wireName(
    'The name on the wire, unique in all namespaces that are watched: it belongs to the namespace that used it first. Absent: metadata.name. Immutable.',
  ).optional(),
  type: z
    .enum(flagTypes)
    .optional()
    .meta({ description: 'What the flag is for; decides how long it should live. Absent: release.' }),
  description: text(4096, 'What the flag does, for people.').optional(),
  impressionData: z.boolean().optional().meta({ description: 'Clients report each evaluation. Absent: false.' }),
  stale: z
    .boolean()
    .optional()
    .meta({ description: 'The flag has done its work; remove it from the code. Absent: false.' }),
  archived: z
    .boolean()
    .optional()
    .meta({ description: 'Off everywhere and out of sight; the name stays taken. Absent: false.' }),
  tags: setOf(tag, MOST_TAGS, 'Tags as type:value, for example simple:payments.').optional(),
  variants: variantList(mostVariants.ofFlag, 'Answers that clients choose from, for all environments.').optional(),
  environments: environments.optional(),
});
export type FlagSpec = z.infer<typeof spec>;

const effect = z.object({
  enabled: z.boolean().meta({ description: 'Whether the flag is really on here.' }),
  strategies: z.int().min(0).meta({ description: 'How many strategies there are.' }),
});

const status = z.object({
  ...judged,
  environments: z.record(z.string(), effect).optional().meta({
    description: 'What is in effect in each environment that the flag names.',
    maxProperties: MOST_ENVIRONMENTS,
  }),
  enabledIn: text(4096, 'The environments where the flag is on, for the column.').optional(),
  lastSeenAt: timestamp.optional().meta({ description: 'When a client last asked for the flag.', format: 'date-time' }),
});
export type FlagStatus = z.infer<typeof status>;

export type FeatureFlag = CustomObject<FlagSpec, FlagStatus>;

const projectOf = (object: string) => effectiveCel(object, 'project', "'default'");

export const featureFlag: Kind<FlagSpec, FlagStatus> = {
  kind: 'FeatureFlag',
  plural: 'featureflags',
  singular: 'featureflag',
  shortNames: ['ff'],
  description:
    'A feature flag: its metadata, variants, and for each environment a switch and strategies. kubectl, Git and the admin API edit it side by side, field by field.',
  spec,
  status,
  columns: [
    { name: 'Project', type: 'string', jsonPath: '.spec.project', description: 'The project; blank: default.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The flag type; blank: release.' },
    { name: 'Enabled', type: 'string', jsonPath: '.status.enabledIn', description: 'Where the flag is on.' },
    { name: 'Stale', type: 'boolean', jsonPath: '.spec.stale', description: 'Whether the flag has done its work.' },
    {
      name: 'Archived',
      type: 'boolean',
      jsonPath: '.spec.archived',
      description: 'Whether the flag is archived.',
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
  ],
  lasting: ['lastSeenAt'],
  freeForm: ['parameters'],
  isolated: ['environments'],
  items: [{ at: ['environments', '*', 'strategies'], order: 'sortOrder', needs: 'name' }],
};
