/** The drafts of variants. */
import type { Schemas } from '../../api.generated.ts';
import { valuesOf } from './constraint-draft.ts';
import { type Keyed, newKey } from './keyed.ts';

export interface OverrideDraft extends Keyed {
  readonly contextName: string;
  /** One value on each line. */
  readonly text: string;
}

export interface VariantDraft extends Keyed {
  readonly name: string;
  /** Whether `percent` is the weight; other variants share what fixed ones leave. */
  readonly isFixed: boolean;
  /** The weight of a fixed variant. */
  readonly percent: string;
  readonly stickiness: string;
  readonly payloadType: PayloadType | '';
  readonly payload: string;
  readonly overrides: readonly OverrideDraft[];
}

export const PAYLOAD_TYPES = ['string', 'json', 'csv', 'number'] as const;
export type PayloadType = (typeof PAYLOAD_TYPES)[number];

const WHOLE = 1000;

export function newVariant(stickiness: string): VariantDraft {
  const rest = { stickiness, payloadType: '', payload: '', overrides: [] } as const;
  return { key: newKey(), name: '', isFixed: false, percent: '', ...rest };
}

export function draftOfVariant(variant: Schemas['Variant']): VariantDraft {
  const { name, weight, weightType, stickiness, payload, overrides } = variant;
  return {
    key: newKey(),
    name,
    isFixed: weightType === 'fix',
    percent: `${weight / 10}`,
    stickiness,
    payloadType: payload?.type ?? '',
    payload: payload?.value ?? '',
    overrides: overrides.map((one) => ({
      key: newKey(),
      contextName: one.contextName,
      text: one.values.join('\n'),
    })),
  };
}

export function variantOf(draft: VariantDraft): Schemas['NewVariant'] {
  const { name, isFixed, stickiness, payloadType, payload, overrides } = draft;
  return {
    name: name.trim(),
    weightType: isFixed ? 'fix' : 'variable',
    ...(isFixed && { weight: fixedWeight(draft) }),
    stickiness,
    ...(payloadType !== '' && { payload: { type: payloadType, value: payload } }),
    ...(overrides.length > 0 && {
      overrides: overrides.map(({ contextName, text }) => ({ contextName, values: valuesOf(text) })),
    }),
  };
}

/** Returns the weight in thousandths. */
function fixedWeight({ isFixed, percent }: VariantDraft): number {
  return isFixed ? Math.round(Number(percent) * 10) : 0;
}

/** Returns the share of each variant in thousandths, as SDKs get it: variable ones share what fixed ones leave. */
export function weightsOf(variants: readonly VariantDraft[]): readonly number[] {
  const left = Math.max(0, WHOLE - variants.reduce((sum, one) => sum + fixedWeight(one), 0));
  const sharing = variants.filter(({ isFixed }) => !isFixed);
  const [share, rest] = [Math.floor(left / (sharing.length || 1)), left % (sharing.length || 1)];
  return variants.map((one) => (one.isFixed ? fixedWeight(one) : share + (sharing.indexOf(one) < rest ? 1 : 0)));
}

/** Returns why the weights do not add up; undefined if they do. */
export function weightProblem(variants: readonly VariantDraft[]): string | undefined {
  if (variants.length === 0) return undefined;
  if (variants.every(({ isFixed }) => isFixed)) {
    return 'At least one variant must share the rest, so that the weights add up to 100 %.';
  }
  const fixed = variants.reduce((sum, one) => sum + fixedWeight(one), 0);
  if (fixed < WHOLE) return undefined;
  return `The fixed weights add up to ${fixed / 10} %. They must leave something for the variants that share the rest.`;
}
