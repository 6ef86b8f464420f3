/** Strategy types on the wire. */
import { z } from 'zod';
import type { StrategyType } from '../../domain/strategy-type/strategy-types.ts';
import { parameterTypes } from '../../schema/strategy-definition.ts';

const wireParameter = z
  .object({
    name: z.string(),
    type: z.enum(parameterTypes),
    description: z.string(),
    required: z.boolean().meta({ description: 'A strategy without it is refused, unless the type is built in.' }),
  })
  .meta({ id: 'StrategyParameter' });

/** For the API document. */
export const exampleStrategyType = {
  name: 'country',
  displayName: 'Country',
  description: 'On for users in the countries that are listed.',
  parameters: [{ name: 'countries', type: 'list', description: 'Codes such as SE.', required: true }],
} as const;

export const wireStrategyType = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    parameters: z.array(wireParameter),
    editable: z.boolean().meta({ description: 'False: the type is built in, and cannot be changed or deleted.' }),
    deprecated: z.boolean().meta({ description: 'New strategies should use another type.' }),
  })
  .meta({
    id: 'StrategyType',
    description: 'A type that strategies can have, with its parameters.',
    examples: [{ ...exampleStrategyType, editable: true, deprecated: false }],
  });
type WireStrategyType = z.infer<typeof wireStrategyType>;

export const wireStrategyTypes = z
  .object({
    version: z.literal(1),
    strategies: z.array(wireStrategyType).meta({ description: 'Built-in types first, then sorted by name.' }),
  })
  .meta({ id: 'StrategyTypes' });

export function presentStrategyType({ builtIn, parameters, ...type }: StrategyType): WireStrategyType {
  const { name, displayName, description, deprecated } = type;
  return { name, displayName, description, parameters: [...parameters], editable: !builtIn, deprecated };
}
