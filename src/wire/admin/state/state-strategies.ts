/** Undefined if the strategy is not valid; the complaints then contain the reason. */
import { importedStrategyId } from '../../../domain/flag/strategy-id.ts';
import { inWeightOrder } from '../../../domain/state/state-flag.ts';
import type { WantedStrategy } from '../../../domain/state/wanted.ts';
import type { Complaints } from '../../../model/complaints.ts';
import { strategy as strategyShape } from '../../../schema/strategy.ts';
import { MAX_VARIANTS, type Variant, variantList } from '../../../schema/variant.ts';
import { parse } from '../../parse-input.ts';
import { strategyOfCreate } from '../flag/strategy-input.ts';
import type { StrategyOfDocument } from './state-input.ts';
import type { SegmentLinks } from './state-segments.ts';

interface StrategiesParts {
  readonly segments: SegmentLinks;
  readonly complaints: Complaints;
}

export interface ReadStrategies {
  /** Undefined: it is not valid, and that is among the complaints. */
  read(at: readonly string[], body: StrategyOfDocument): WantedStrategy | undefined;
}

export function createStrategies({ segments, complaints }: StrategiesParts): ReadStrategies {
  return {
    read(at: readonly string[], body: StrategyOfDocument): WantedStrategy | undefined {
      const { id, segments: _, variants, ...said } = body;
      const names = segments.namesOf(at, body);
      const whole = { ...said, variants: inWeightOrder(variants ?? []) };
      const strategy = complaints.below(at, () =>
        parse(
          strategyShape,
          strategyOfCreate(whole, () => names),
          'body',
        ),
      );
      return strategy && { at, ...(id && { id: importedStrategyId(id) }), strategy };
    },
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
