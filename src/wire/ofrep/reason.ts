/** The reason for the value of a flag, in the terms of OpenFeature (ADR 42). */
import type { ClientFeature, ClientStrategy, ClientVariant } from '../../evaluation/client-document.ts';
import type { Evaluation } from '../../evaluation/why.ts';
import type { Reason } from './shapes.ts';

const PERCENTAGES = ['rollout', 'percentage'];

export function openFeatureReason(feature: ClientFeature, evaluation: Evaluation): Reason {
  const { decision, variant, strategy } = evaluation;
  if (variant && isSplit(candidates(feature, strategy))) return 'SPLIT';
  if (decision === 'off') return 'STATIC';
  const deciding = decision === 'dependency' ? [] : decidingStrategies(feature, strategy);
  if (deciding.some(hasPercentage)) return 'SPLIT';
  const hasParents = feature.dependencies !== undefined && feature.dependencies.length > 0;
  return hasParents || deciding.some(hasTarget) ? 'TARGETING_MATCH' : 'STATIC';
}

/** If no strategy includes the user, all strategies have decided. */
function decidingStrategies({ strategies }: ClientFeature, index: number | undefined): readonly ClientStrategy[] {
  return index === undefined ? strategies : strategies.slice(index, index + 1);
}

/** The variants from which one was chosen. */
function candidates({ strategies, variants }: ClientFeature, index: number | undefined): readonly ClientVariant[] {
  const own = index === undefined ? undefined : strategies[index]?.variants;
  return own?.some(({ weight }) => weight > 0) ? own : variants;
}

function isSplit(variants: readonly ClientVariant[]): boolean {
  return variants.filter(({ weight }) => weight > 0).length > 1;
}

/** Shares that include everyone or nobody do not count. */
function hasPercentage({ parameters }: ClientStrategy): boolean {
  return PERCENTAGES.some((name) => {
    const share = Number(parameters[name]);
    return share > 0 && share < 100;
  });
}

function hasTarget({ name, constraints, segments = [] }: ClientStrategy): boolean {
  const isForAll = name === 'default' || name === 'flexibleRollout' || name.startsWith('gradualRollout');
  return !isForAll || constraints.length > 0 || segments.length > 0;
}
