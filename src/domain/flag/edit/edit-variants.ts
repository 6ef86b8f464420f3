/** Edits of the variants of a flag: for all environments at once, or in some of them. */
import type { FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import type { Variant } from '../../../schema/variant.ts';
import { environmentOf } from '../flag-values.ts';
import { stickinessOf, weightTypeOf } from '../variants.ts';
import { environmentsWith } from './edit-flag.ts';

/** Sets one list for every environment; the lists of single environments are removed in the same write. */
export function setVariants(spec: FlagSpec, wanted: readonly Variant[]): FlagSpec {
  const present = spec.variants ?? [];
  const variants = inPresentWords(present, wanted);
  return { ...spec, ...(variants !== present && { variants }), ...environmentsWith(spec, withoutVariants) };
}

/** Sets a list for each of these environments, even if the list of the flag is the same now: that one may change. */
export function setVariantsIn(spec: FlagSpec, environments: readonly string[], wanted: readonly Variant[]): FlagSpec {
  const changed = environments.map((name): [string, FlagEnvironment] => {
    const environment = environmentOf(spec, name);
    return [name, { ...environment, variants: inPresentWords(environment.variants ?? spec.variants ?? [], wanted) }];
  });
  return { ...spec, environments: { ...spec.environments, ...Object.fromEntries(changed) } };
}

function withoutVariants({ variants: _, ...rest }: FlagEnvironment): FlagEnvironment {
  return rest;
}

/** Whether both lists mean the same, in the same order. */
export function isSameList(one: readonly Variant[], other: readonly Variant[]): boolean {
  return one.length === other.length && one.every((variant, index) => isSame(variant, other[index]));
}

function isSame(one: Variant, other: Variant | undefined): boolean {
  return one.name === other?.name && fields.every((field) => isSameIn(field, one, other));
}

/**
 * The meaning of each field of a variant, absent or not. The weight of a variable variant has no meaning: it is
 * computed.
 */
const meanings = {
  weightType: weightTypeOf,
  weight: (variant: Variant) => (weightTypeOf(variant) === 'fix' ? (variant.weight ?? 0) : null),
  stickiness: stickinessOf,
  payload: ({ payload }: Variant) => (payload ? [payload.type, payload.value] : null),
  overrides: ({ overrides }: Variant) => (overrides ?? []).map(({ contextName, values }) => [contextName, values]),
} as const;
const fields = Object.keys(meanings) as readonly (keyof typeof meanings)[];

function isSameIn(field: keyof typeof meanings, one: Variant, other: Variant): boolean {
  return JSON.stringify(meanings[field](one)) === JSON.stringify(meanings[field](other));
}

/**
 * The wanted list, in which each field with an unchanged meaning is written as it is now: an absent field stays absent,
 * and a list that changes nothing is the present one itself.
 */
function inPresentWords(present: Variant[], wanted: readonly Variant[]): Variant[] {
  if (isSameList(present, wanted)) return present;
  const byName = new Map(present.map((variant) => [variant.name, variant]));
  return wanted.map(worthWriting).map((variant) => {
    const before = byName.get(variant.name);
    if (!before) return variant;
    const said = fields.map((field) => [field, (isSameIn(field, before, variant) ? before : variant)[field]]);
    return { name: variant.name, ...Object.fromEntries(said.filter(([, value]) => value !== undefined)) };
  });
}

/**
 * The variant without nulls, and without a weight that does not count: if stored, it would read as a share that the
 * variant does not get.
 */
function worthWriting({ name, ...rest }: Variant): Variant {
  const isIdle = (field: string) => field === 'weight' && weightTypeOf({ name, ...rest }) === 'variable';
  const said = Object.entries(rest).filter(([field, value]) => value !== null && value !== undefined && !isIdle(field));
  return { name, ...Object.fromEntries(said) };
}
