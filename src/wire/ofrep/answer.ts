/** The answer of OFREP for one flag, as JSON text: the value and its reason in the terms of OpenFeature (ADR 42). */
import { hash } from 'node:crypto';
import type { ClientFeature, ClientPayload, ClientStrategy, ClientVariant } from '../../evaluation/client-document.ts';
import { parseDecimal } from '../../evaluation/operand.ts';
import type { Evaluation } from '../../evaluation/why.ts';
import { memo } from '../../model/memo.ts';
import type { Reason } from './shapes.ts';

/** Made as text, because a number must keep the digits of its payload. */
export function ofrepAnswerText(feature: ClientFeature, evaluation: Evaluation, environment: string): string {
  const { name: key, project, stale } = feature;
  const { enabled, variant } = evaluation;
  const value = valueText(feature, evaluation);
  const members = {
    key,
    reason: openFeatureReason(feature, evaluation),
    variant: variant?.name ?? (enabled ? 'enabled' : 'disabled'),
    // `flagSetId` and `version` are names of OpenFeature, which hooks for traces read.
    metadata: {
      enabled,
      environment,
      project,
      stale,
      flagSetId: `${project}/${environment}`,
      version: versionOf(feature, undefined),
    },
  };
  const text = JSON.stringify(members);
  return value === undefined ? text : `${text.slice(0, -1)},"value":${value}}`;
}

const VERSION_DIGITS = 12;
/** The same on every replica and edge, for the same flag as SDKs read it. */
const versionOf = memo((feature: ClientFeature, _: undefined) =>
  hash('sha256', JSON.stringify(feature)).slice(0, VERSION_DIGITS),
);

type OfrepFields = Readonly<Record<string, unknown>>;

/** `environment` is that of the token. OFREP has no `properties`: a member of that name is an ordinary value. */
export function ofrepContext({ targetingKey, properties, ...given }: OfrepFields, environment: string): OfrepFields {
  return { userId: targetingKey, ...given, properties: { targetingKey, properties }, environment };
}

/** Whether the value of the flag is that of a payload instead of a boolean. */
function hasPayloads({ strategies, variants }: ClientFeature): boolean {
  return [variants, ...strategies.map((strategy) => strategy.variants)].flat().some(({ payload }) => payload);
}

/** Undefined: the default of the application applies. */
function valueText(feature: ClientFeature, { enabled, variant }: Evaluation): string | undefined {
  if (!hasPayloads(feature)) return `${enabled}`;
  return variant?.payload && payloadText(variant.payload);
}

function payloadText({ type, value }: ClientPayload): string | undefined {
  if (type === 'number') return numberText(value.trim());
  return type === 'json' ? jsonText(value.trim()) : JSON.stringify(value);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:[.]\d+)?(?:[eE][-+]?\d+)?$/;

/** The number as written: `5.0` is a float for programs that distinguish floats from integers. */
function numberText(value: string): string | undefined {
  const number = parseDecimal(value);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  return JSON_NUMBER.test(value) ? value : `${number}`;
}

function jsonText(value: string): string | undefined {
  try {
    return JSON.parse(value) === null ? undefined : value;
  } catch {
    return undefined;
  }
}

const PERCENTAGES = ['rollout', 'percentage'];

function openFeatureReason(feature: ClientFeature, evaluation: Evaluation): Reason {
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
