/** The state document that callers send, of versions 1 to 4 (docs/unleash-compatibility.md#state-document). */
import { z } from 'zod';
import { MAX_DEPENDENCIES } from '../../../schema/dependency.ts';
import { sortOrder } from '../../../schema/environment.ts';
import { MAX_STRATEGIES } from '../../../schema/feature-flag.ts';
import { text, wireName } from '../../../schema/fields/shapes.ts';
import { tagType, tagValue } from '../../../schema/fields/tag.ts';
import { usedFlags } from '../../../schema/project.ts';
import { MAX_VARIANTS } from '../../../schema/variant.ts';
import { constraintsBody } from '../constraint.ts';
import { dependencyBody } from '../flag/dependency.ts';
import { metadataBody } from '../flag/feature-metadata.ts';
import { windowBody } from '../flag/rollout.ts';
import { strategyBody } from '../flag/strategy-input.ts';
import { variantOfDocument } from '../flag/variant-input.ts';
import { segmentBody } from '../segment-input.ts';
import { strategyTypeBody } from '../strategy-type-input.ts';

const GLOBAL = ':global:';

/** The only environment of a document of version 2 (docs/unleash-compatibility.md#state-document). */
const environmentName = z.preprocess(
  (name) => (name === GLOBAL ? 'default' : name),
  wireName('The name of an environment.'),
);

const flagName = z.string().meta({ description: 'The name of a flag of the document.' });
const id = z.string().min(1).max(100).nullable().optional().meta({
  description:
    'Left out: the place in the list identifies the strategy. A UUID is computed from an id of another form, as Unleash 7 and later have.',
});
const flagVariants = z.array(variantOfDocument).max(MAX_VARIANTS.ofFlag).nullable().optional();

const { name: strategyName, id: _, ...fieldsOfStrategy } = strategyBody.shape;
const strategyFields = {
  ...fieldsOfStrategy,
  variants: z.array(variantOfDocument).max(MAX_VARIANTS.ofStrategy).nullable().optional(),
};

const feature = z.object({
  name: wireName('The name of the flag.'),
  project: z.string().nullable().optional().meta({ description: 'The id of its project. Left out: default.' }),
  ...metadataBody,
  archived: z.boolean().nullable().optional(),
  enabled: z
    .boolean()
    .nullable()
    .optional()
    .meta({ description: 'The switch in the chosen environment. Ignored if the document has featureEnvironments.' }),
  strategies: z
    .array(z.object({ id, name: strategyName, ...strategyFields }))
    .max(MAX_STRATEGIES)
    .nullable()
    .optional()
    .meta({ description: 'The strategies in the chosen environment. Ignored if the document has featureStrategies.' }),
  dependencies: dependencyBody
    .array()
    .max(MAX_DEPENDENCIES)
    .nullable()
    .optional()
    .meta({ description: 'The flags that the flag depends on. Left out: the dependencies stay.' }),
  variants: flagVariants.meta({
    description:
      'In versions 2 and 3, the variants of the flag as a whole. In other versions, the variants in the chosen environment. Those are ignored if the document has featureEnvironments.',
  }),
});

const featureStrategy = z.object({
  id,
  featureName: flagName,
  environment: environmentName,
  strategyName,
  ...strategyFields,
});

const featureEnvironment = z.strictObject({
  featureName: flagName,
  environment: environmentName,
  enabled: z.boolean().nullable().optional(),
  variants: flagVariants,
  ...windowBody.shape,
  lastSeenAt: z.unknown().optional(),
});

/** The properties have the names of all lists of strategy types; `title` is the text for people. */
const strategyType = z.object({
  name: strategyTypeBody.shape.name,
  title: strategyTypeBody.shape.displayName,
  displayName: strategyTypeBody.shape.displayName,
  description: strategyTypeBody.shape.description,
  parameters: strategyTypeBody.shape.parameters.unwrap().unwrap(),
  deprecated: z.boolean().nullable().optional(),
});

const project = z.object({
  id: wireName('The id of the project.'),
  name: text(200, 'The display name.'),
  description: text(4096, 'What the project is about.').nullable().optional(),
  defaultStickiness: text(100, 'Stickiness that new strategies start with.').nullable().optional(),
  environments: z
    .array(environmentName)
    .max(30)
    .nullable()
    .optional()
    .meta({ description: 'The environments that it uses. Left out: all that are enabled.' }),
  usedFlags: usedFlags.nullable().optional(),
});

const environment = z.strictObject({
  name: environmentName,
  type: z.string().min(1).max(50).meta({ description: 'The use of the environment.' }),
  displayName: text(200, 'The display name.').nullable().optional(),
  sortOrder: sortOrder.nullable().optional(),
  enabled: z.boolean().nullable().optional(),
  protected: z.boolean().nullable().optional(),
});

/** Version 1 uses other names for these properties. */
const featureTag = z.object({
  featureName: flagName,
  tagType: tagType.optional(),
  tagValue: tagValue.optional(),
  type: tagType.optional(),
  value: tagValue.optional(),
});

const segment = segmentBody.extend({
  id: z.int().meta({ description: 'Names the segment within the document. A new segment gets another id.' }),
  constraints: constraintsBody.nullable().optional(),
});

function section<T extends z.ZodType>(item: T) {
  return z.array(item).nullable().optional();
}

export const stateDocument = z
  .strictObject({
    version: z
      .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)], { error: 'must be 1, 2, 3 or 4' })
      .nullable()
      .optional(),
    features: section(feature),
    strategies: section(strategyType),
    projects: section(project),
    tagTypes: section(z.object({ name: tagType })),
    tags: section(z.object({ type: tagType, value: tagValue })),
    featureTags: section(featureTag),
    featureStrategies: section(featureStrategy),
    environments: section(environment),
    featureEnvironments: section(featureEnvironment),
    segments: section(segment),
    featureStrategySegments: section(z.object({ featureStrategyId: z.string(), segmentId: z.int() })),
  })
  .meta({
    id: 'ImportState',
    description:
      'A state document of version 1 to 4; left out: 1. A section that is null counts as left out. Unknown properties of the document itself, environments, featureEnvironments, constraints and variants are refused. Other unknown properties are dropped.',
    examples: [
      {
        version: 1,
        features: [
          {
            name: 'one-page-checkout',
            description: 'The new checkout',
            enabled: true,
            strategies: [{ name: 'flexibleRollout', parameters: { rollout: 25, groupId: 'g', stickiness: 'default' } }],
            variants: [{ name: 'blue', weight: 1000 }],
          },
        ],
      },
    ],
  });
export type StateDocument = z.output<typeof stateDocument>;
export type StrategyOfDocument = NonNullable<NonNullable<StateDocument['features']>[number]['strategies']>[number];
