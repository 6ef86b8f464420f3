/** The StrategyDefinition kind: a custom strategy type with its parameters. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { nameIsFree, nameRules } from './fields/name-rules.ts';
import { text, wireName } from './fields/shapes.ts';

/** The strategy types of Unleash servers (docs/unleash-compatibility.md#strategies). */
export const builtInStrategyNames = [
  'default',
  'flexibleRollout',
  'userWithId',
  'remoteAddress',
  'applicationHostname',
  'gradualRolloutUserId',
  'gradualRolloutSessionId',
  'gradualRolloutRandom',
] as const;

/** Types that became built-in later: a StrategyDefinition of an earlier version may have such a name. */
const builtInLater: ReadonlySet<string> = new Set([
  'gradualRolloutUserId',
  'gradualRolloutSessionId',
  'gradualRolloutRandom',
]);

const reservedNames = builtInStrategyNames.filter((name) => !builtInLater.has(name));

export const parameterTypes = ['string', 'percentage', 'list', 'number', 'boolean'] as const;
export type ParameterType = (typeof parameterTypes)[number];

/** One parameter in the spec. */
export const strategyParameter = z.object({
  name: z.string().min(1).max(100).meta({ description: 'The key in the parameters of a strategy.' }),
  type: z.enum(parameterTypes).optional().meta({ description: 'The type of the value. Absent: string.' }),
  description: text(1000, 'What the parameter does.').optional(),
  required: z.boolean().optional().meta({
    description: 'A strategy without this parameter gets a warning, and the admin API rejects it. Absent: false.',
  }),
});

export const MAX_PARAMETERS = 50;

const parameters = z
  .array(strategyParameter)
  .max(MAX_PARAMETERS)
  .nullable()
  .refine((list) => !list || new Set(list.map(({ name }) => name)).size === list.length, {
    message: 'each parameter needs a name of its own',
  })
  .meta({
    description: 'The parameters of strategies of this type.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  });

/** The texts to show to people. */
export const strategyTypeTexts = {
  displayName: text(200, 'The display name. Absent: the name.'),
  description: text(1000, 'For which users a strategy of this type switches a flag on.'),
};

const spec = z.object({
  name: wireName('The name in the API; strategies refer to it. Absent: metadata.name. Immutable.').optional(),
  displayName: strategyTypeTexts.displayName.optional(),
  description: strategyTypeTexts.description.optional(),
  deprecated: z.boolean().optional().meta({ description: 'New strategies should use another type. Absent: false.' }),
  parameters: parameters.optional(),
});
export type StrategyDefinitionSpec = z.infer<typeof spec>;

const status = z.object(statusFields);
export type StrategyDefinitionStatus = z.infer<typeof status>;

export type StrategyDefinition = CustomObject<StrategyDefinitionSpec, StrategyDefinitionStatus>;

export const strategyDefinition = defineKind<StrategyDefinitionSpec, StrategyDefinitionStatus>({
  kind: 'StrategyDefinition',
  shortNames: ['fstrat'],
  description:
    'A custom strategy type, which your clients implement: its parameters, and which of them are required. StrategyDefinitions live in the operator namespace.',
  namespaces: 'operator',
  spec,
  status,
  columns: [
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    {
      name: 'Deprecated',
      type: 'boolean',
      jsonPath: '.spec.deprecated',
      description: 'Whether new strategies should use another type.',
    },
    ...closingColumns('strategies of this type can be used'),
  ],
  rootRules: [...nameRules(), nameIsFree(reservedNames, 'strategy type')],
});
