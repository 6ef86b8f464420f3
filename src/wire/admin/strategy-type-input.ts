/** The bodies of requests about strategy types. */
import { z } from 'zod';
import type { StrategyTypeChange } from '../../domain/strategy-type/edit-strategy-type.ts';
import { Refusal } from '../../errors.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { wireName } from '../../schema/fields/shapes.ts';
import {
  MAX_PARAMETERS,
  type StrategyDefinitionSpec,
  strategyParameter,
  strategyTypeTexts,
} from '../../schema/strategy-definition.ts';
import { exampleStrategyType } from './strategy-type.ts';

/**
 * A field that parameters do not have is refused: otherwise, `require` in place of `required` would let everything
 * pass.
 */
const parameterBody = z
  .strictObject({
    name: strategyParameter.shape.name,
    type: strategyParameter.shape.type.nullable(),
    description: strategyParameter.shape.description.nullable(),
    required: strategyParameter.shape.required.nullable(),
  })
  .meta({ id: 'NewStrategyParameter', description: 'Null means absent.' });

const fields = {
  displayName: strategyTypeTexts.displayName.nullable().optional(),
  description: strategyTypeTexts.description.nullable().optional(),
  parameters: z.array(parameterBody).max(MAX_PARAMETERS).nullable().optional(),
};

export const strategyTypeBody = z
  .object({ name: wireName('The name, which strategies name; it can never be changed.'), ...fields })
  .meta({
    id: 'CreateStrategyType',
    description:
      'A property that is null or absent gets its default. Parameter names must be unique. Unknown properties are dropped; unknown properties of parameters are refused.',
    examples: [exampleStrategyType],
  });

/** Writes only what the caller sent: absent fields stay absent. */
export function strategyTypeSpecOfCreate({
  name: _,
  ...said
}: z.infer<typeof strategyTypeBody>): StrategyDefinitionSpec {
  return withoutNulls(said, []) as StrategyDefinitionSpec;
}

export const strategyTypeUpdateBody = z
  .object({
    name: z.string().nullable().optional().meta({ description: 'If present, the name of the type.' }),
    ...fields,
  })
  .meta({
    id: 'UpdateStrategyType',
    description:
      'An absent property stays. A property that is null gets its default. The list of parameters is replaced as a whole; their names must be unique. Unknown properties are dropped; unknown properties of parameters are refused.',
    examples: [exampleStrategyType],
  });

/** A client that does not know displayName leaves it out, and must not remove it. */
export function changeOfUpdate(
  present: string,
  { name, displayName, description, parameters }: z.infer<typeof strategyTypeUpdateBody>,
): StrategyTypeChange {
  if (name !== undefined && name !== null && name !== present) {
    const message = `Cannot change the name of a strategy type. You sent "${name}", the strategy type is named "${present}".`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['name'], message }] });
  }
  return {
    displayName,
    description,
    parameters: withoutNulls(parameters, []) as StrategyTypeChange['parameters'],
  };
}
