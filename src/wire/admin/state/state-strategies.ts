/** The strategies and variants of a state document, as flags have them. */
import { importedStrategyId } from '../../../domain/flag/strategy-id.ts';
import { inWeightOrder } from '../../../domain/state/state-flag.ts';
import type { WantedStrategy } from '../../../domain/state/wanted.ts';
import type { Complaints } from '../../../model/complaints.ts';
import { strategy as strategyShape } from '../../../schema/strategy.ts';
import { MAX_VARIANTS, type Variant, variantList } from '../../../schema/variant.ts';
import { parse } from '../../parse-input.ts';
import { strategyOfCreate } from '../flag/strategy-input.ts';
import type { StrategyOfDocument } from './state-input.ts';
import type { NamesOfSegments } from './state-segments.ts';

/** Undefined: the strategy is not valid, and that is among the complaints. */
export type ReadStrategy = (at: readonly string[], body: StrategyOfDocument) => WantedStrategy | undefined;

export function strategyReader(namesOf: NamesOfSegments, complaints: Complaints): ReadStrategy {
  return (at, body) => {
    const { id, segments: _, variants, ...said } = body;
    const names = namesOf(at, body);
    const whole = { ...said, variants: inWeightOrder(variants ?? []) };
    const read = () => strategyOfCreate(whole, () => names);
    const strategy = complaints.below(at, () => parse(strategyShape, read(), 'body'));
    return strategy && { at, ...(id && { id: importedStrategyId(id) }), strategy };
  };
}

const list = variantList(MAX_VARIANTS.ofFlag, '');

/** An empty list if it is not valid; the complaints then contain the reason. */
export function readVariants(
  at: readonly string[],
  variants: readonly Variant[],
  complaints: Complaints,
): readonly Variant[] {
  return complaints.below(at, () => parse(list, variants, 'body')) ?? [];
}
