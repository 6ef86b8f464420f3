/** The fields of a strategy as a caller wants them, and their stored form. */
import { isDeepStrictEqual } from 'node:util';
import { withoutNulls } from '../../model/without-nulls.ts';
import type { Constraint } from '../../schema/constraint.ts';
import type { Ramp } from '../../schema/ramp.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { Variant } from '../../schema/variant.ts';

/** The fields, with defaults for absent ones. */
export interface StrategyFields {
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly sortOrder: number;
  readonly parameters: NonNullable<Strategy['parameters']>;
  readonly constraints: readonly Constraint[];
  /** Names of segments. */
  readonly segments: readonly string[];
  readonly variants: readonly Variant[];
  readonly ramp: Ramp | null;
}

export interface FieldsChange {
  readonly before: StrategyFields;
  readonly after: StrategyFields;
}

/** An empty stickiness means the default. A new strategy is stored with the default. */
export function withDefaultStickiness(parameters: StrategyFields['parameters']): StrategyFields['parameters'] {
  return parameters['stickiness'] === '' ? { ...parameters, stickiness: 'default' } : parameters;
}

/** Whether the stickiness becomes empty. A stored strategy keeps its stickiness, or gets another one. */
export function emptiesStickiness({ before, after }: FieldsChange): boolean {
  return after.parameters['stickiness'] === '' && before.parameters['stickiness'] !== '';
}

/** Writes only the fields that differ: an absent field that already has the value stays absent. */
export function writeFields(strategy: Strategy, { before, after }: FieldsChange): Strategy {
  const next = {
    ...after,
    title: after.title ?? undefined,
    ramp: after.ramp ?? undefined,
    constraints: withoutNulls(after.constraints, []),
    variants: after.variants.map(storedVariant),
  };
  const differing = (Object.keys(after) as (keyof StrategyFields)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  return { ...strategy, ...Object.fromEntries(differing.map((field) => [field, next[field]])) };
}

/** The weight of a variable variant is computed when it is read. */
function storedVariant({ weight, ...variant }: Variant): unknown {
  return withoutNulls({ ...variant, ...(variant.weightType === 'fix' && { weight }) }, []);
}
