/** The StrategyDefinition kind: a strategy type of one's own, with the parameters that it takes. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { nameIsFree, nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { text, wireName } from './shapes.ts';

/** The types that every server knows (facts §10). */
export const builtInStrategyNames = [
  'default',
  'flexibleRollout',
  'userWithId',
  'remoteAddress',
  'applicationHostname',
] as const;

export const parameterTypes = ['string', 'percentage', 'list', 'number', 'boolean'] as const;
export type ParameterType = (typeof parameterTypes)[number];

/** One parameter, as the spec holds it. */
export const strategyParameter = z.object({
  name: z.string().min(1).max(100).meta({ description: 'The key in the parameters of a strategy.' }),
  type: z.enum(parameterTypes).optional().meta({ description: 'What its value is. Absent: string.' }),
  description: text(1000, 'What it does.').optional(),
  required: z
    .boolean()
    .optional()
    .meta({ description: 'A strategy without it gets a warning, and the admin API refuses it. Absent: false.' }),
});

export const MOST_PARAMETERS = 50;

const parameters = z
  .array(strategyParameter)
  .max(MOST_PARAMETERS)
  .nullable()
  .refine((list) => !list || new Set(list.map(({ name }) => name)).size === list.length, {
    message: 'each parameter needs a name of its own',
  })
  .meta({
    description: 'What a strategy of this type can be given.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  });

/** What people read of it. */
export const strategyTypeTexts = {
  displayName: text(200, 'The name for people. Absent: the name.'),
  description: text(1000, 'For whom such a strategy switches a flag on.'),
};

const spec = z.object({
  name: wireName('The name on the wire, which strategies name. Absent: metadata.name. Immutable.').optional(),
  displayName: strategyTypeTexts.displayName.optional(),
  description: strategyTypeTexts.description.optional(),
  deprecated: z.boolean().optional().meta({ description: 'Use another one for new strategies. Absent: false.' }),
  parameters: parameters.optional(),
});
export type StrategyDefinitionSpec = z.infer<typeof spec>;

const status = z.object(judged);
export type StrategyDefinitionStatus = z.infer<typeof status>;

export type StrategyDefinition = CustomObject<StrategyDefinitionSpec, StrategyDefinitionStatus>;

export const strategyDefinition: Kind<StrategyDefinitionSpec, StrategyDefinitionStatus> = {
  kind: 'StrategyDefinition',
  plural: 'strategydefinitions',
  singular: 'strategydefinition',
  shortNames: ['fstrat'],
  description:
    "A strategy type of your own, which your clients implement: its parameters, and which of them are required. Definitions live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    { name: 'Deprecated', type: 'boolean', jsonPath: '.spec.deprecated', description: 'Whether to use another one.' },
    ...closingColumns('strategies of this type can be used'),
  ],
  selectableFields: [],
  rootRules: [...nameRules(), nameIsFree(builtInStrategyNames, 'strategy type')],
  lasting: [],
  freeForm: [],
  isolated: [],
};
