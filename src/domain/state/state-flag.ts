/** A flag as a state document wants it: an edit that keeps fields with the same meaning unchanged. */
import jsonPatch from 'fast-json-patch';
import { Refusal } from '../../errors.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { Variant } from '../../schema/variant.ts';
import { setMetadata } from '../flag/edit/edit-flag.ts';
import { isSameList, setVariants, setVariantsIn } from '../flag/edit/edit-variants.ts';
import { withWindow } from '../flag/edit/edit-window.ts';
import {
  environmentOf,
  isActive,
  isArchived,
  type KeyedStrategy,
  projectIdOf,
  strategiesOf,
} from '../flag/flag-values.ts';
import { metadataDefaults } from '../flag/metadata-fields.ts';
import { withDefaultStickiness } from '../flag/strategy-fields.ts';
import { strategyIdOf } from '../flag/strategy-id.ts';
import { weigh, weightTypeOf } from '../flag/variants.ts';
import { compareText } from '../identity/names.ts';
import { defectText } from '../judgement/defects.ts';
import { meaningOf } from '../segment/segment-values.ts';
import type { WantedFlag, WantedPlace, WantedStrategy } from './wanted.ts';

/** `replace`: what the document does not mention is removed; otherwise it stays. */
export interface FlagImport {
  readonly wanted: WantedFlag;
  readonly replace: boolean;
  /** An export does not contain an environment that does not exist at the moment. Absent: all exist. */
  readonly hasEnvironment?: (name: string) => boolean;
  /** Nor the segments that do not exist at the moment; the flag is off there as long as that lasts. */
  readonly hasSegment?: (name: string) => boolean;
}

/** The next spec, without name and project; `spec` is empty for a new flag. */
export function importFlag(spec: FlagSpec, flagImport: FlagImport): FlagSpec {
  const { wanted, replace } = flagImport;
  const described = setMetadata(spec, { ...(replace && metadataDefaults), ...wanted.metadata });
  const placed = withPlaces(withOwn(withArchived(described, wanted.archived), flagImport), flagImport);
  return withVariants(placed, flagImport);
}

export function isSameJson(one: unknown, other: unknown): boolean {
  return jsonPatch.compare({ value: one }, { value: other }).length === 0;
}

function withArchived({ archived, ...rest }: FlagSpec, wanted: boolean): FlagSpec {
  if ((archived ?? false) === wanted) return archived === undefined ? rest : { ...rest, archived };
  return wanted ? { ...rest, archived: true } : rest;
}

function withOwn(spec: FlagSpec, flagImport: FlagImport): FlagSpec {
  return withDependencies(withTags(spec, flagImport), flagImport);
}

function withDependencies(spec: FlagSpec, { wanted, replace }: FlagImport): FlagSpec {
  if (!wanted.dependencies && !replace) return spec;
  const next = wanted.dependencies ?? [];
  if (isSameJson(spec.dependencies ?? [], next)) return spec;
  const { dependencies: _, ...rest } = spec;
  return next.length === 0 ? rest : { ...rest, dependencies: [...next] };
}

function withTags(spec: FlagSpec, { wanted, replace }: FlagImport): FlagSpec {
  if (!wanted.tags && !replace) return spec;
  const [present, next] = [new Set(spec.tags ?? []), new Set(wanted.tags ?? [])];
  if (present.size === next.size && next.isSubsetOf(present)) return spec;
  const { tags: _, ...rest } = spec;
  return next.size === 0 ? rest : { ...rest, tags: [...next] };
}

function withPlaces(spec: FlagSpec, flagImport: FlagImport): FlagSpec {
  const { wanted, replace, hasEnvironment = () => true, hasSegment = () => true } = flagImport;
  const spoken = [...wanted.environments].flatMap(([name, place]): [string, FlagEnvironment][] => {
    const before = environmentOf(spec, name);
    const next = importPlace(before, place, { flag: wanted.name, environment: name, replace, hasSegment });
    const isThere = Object.hasOwn(spec.environments ?? {}, name);
    return isThere || Object.keys(next).length > 0 ? [[name, next]] : [];
  });
  const present = Object.entries(spec.environments ?? {});
  const kept = replace ? present.filter(([name]) => !hasEnvironment(name)) : present;
  if (spoken.length === 0 && kept.length === present.length) return spec;
  return { ...spec, environments: { ...Object.fromEntries(kept), ...Object.fromEntries(spoken) } };
}

interface PlaceOfImport {
  readonly flag: string;
  readonly environment: string;
  readonly replace: boolean;
  readonly hasSegment: (name: string) => boolean;
}

function importPlace(before: FlagEnvironment, wanted: WantedPlace, place: PlaceOfImport): FlagEnvironment {
  const { replace } = place;
  const list = wanted.strategies ?? (replace ? [] : undefined);
  const strategies = list ? importStrategies(before, list, place) : before.strategies;
  const { enabled: _enabled, strategies: _strategies, ...rest } = withWantedWindow(before, wanted);
  const isSame = strategies === before.strategies;
  const lacks = strategiesOf(before).some(({ strategy }) => missingSegments(strategy, place).length > 0);
  // An export, which has the strategies, says that the flag is off where a segment is missing.
  const said = list && isSame && lacks ? undefined : (wanted.enabled ?? (replace ? false : undefined));
  const enabled = switchOf(before, said, isSame);
  return { ...(enabled !== undefined && { enabled }), ...(strategies !== undefined && { strategies }), ...rest };
}

function withWantedWindow(before: FlagEnvironment, { window }: WantedPlace): FlagEnvironment {
  return window ? withWindow(before, window) : before;
}

/**
 * A switch that is on without an enabled strategy counts as off, so an import that wants it off leaves it unchanged.
 */
function switchOf(before: FlagEnvironment, wanted: boolean | undefined, sameStrategies: boolean): boolean | undefined {
  const isOn = before.enabled === true && (isActive(before) || !sameStrategies);
  return wanted === undefined || isOn === wanted ? before.enabled : wanted;
}

/** Returns the same map if nothing changes in meaning. */
function importStrategies(
  before: FlagEnvironment,
  wanted: readonly WantedStrategy[],
  place: PlaceOfImport,
): FlagEnvironment['strategies'] {
  const { flag, environment } = place;
  const present = strategiesOf(before);
  const byId = new Map(present.map((keyed) => [strategyIdOf({ flag, environment, key: keyed.key }), keyed]));
  const byKey = new Map(present.map((keyed) => [keyed.key, keyed]));
  const next = wanted
    .map(({ id, strategy }, index): KeyedStrategy => {
      const key = id ?? `imported-${index + 1}`;
      const found = byKey.get(key) ?? byId.get(key);
      if (!found) return { key, strategy };
      const segments = [...(strategy.segments ?? []), ...missingSegments(found.strategy, place)];
      const whole = segments.length > 0 ? { ...strategy, segments } : strategy;
      return { key: found.key, strategy: inPresentWords(found.strategy, whole) };
    })
    .sort((a, b) => placeOf(a) - placeOf(b));
  const ordered = inOrder(next);
  const isSame =
    ordered.length === present.length && ordered.every(({ key, strategy }) => byKey.get(key)?.strategy === strategy);
  if (isSame) return before.strategies;
  return Object.fromEntries(ordered.map(({ key, strategy }) => [key, strategy]));
}

function missingSegments({ segments }: Strategy, { hasSegment }: PlaceOfImport): readonly string[] {
  return (segments ?? []).filter((name) => !hasSegment(name));
}

function placeOf({ strategy }: KeyedStrategy): number {
  return strategy.sortOrder ?? 0;
}

/**
 * Keys decide on the order of strategies with the same sortOrder; if that differs from the order of the document,
 * explicit sort orders are written.
 */
function inOrder(strategies: readonly KeyedStrategy[]): readonly KeyedStrategy[] {
  const sorted = strategies.toSorted((a, b) => placeOf(a) - placeOf(b) || compareText(a.key, b.key));
  if (sorted.every(({ key }, index) => key === strategies[index]?.key)) return strategies;
  return strategies.map(({ key, strategy }, sortOrder) => ({ key, strategy: { ...strategy, sortOrder } }));
}

/** The meaning of each field of a strategy, absent or not. */
const meanings = {
  name: ({ name }: Strategy) => name,
  title: ({ title }: Strategy) => title ?? '',
  disabled: ({ disabled }: Strategy) => disabled ?? false,
  sortOrder: ({ sortOrder }: Strategy) => sortOrder ?? 0,
  parameters: ({ parameters }: Strategy) => withDefaultStickiness(parameters ?? {}),
  constraints: ({ constraints }: Strategy) => (constraints ?? []).map(meaningOf),
  ramp: ({ ramp }: Strategy) => ramp ?? null,
  segments: ({ segments }: Strategy) => [...(segments ?? [])].sort(compareText),
} as const;
const fields = [...(Object.keys(meanings) as (keyof typeof meanings)[]), 'variants'] as const;

function isSameIn(field: (typeof fields)[number], one: Strategy, other: Strategy): boolean {
  if (field === 'variants') return meansSame(one.variants ?? [], other.variants ?? []);
  return isSameJson(meanings[field](one), meanings[field](other));
}

/**
 * The present strategy itself if the wanted one means the same; otherwise, fields with an unchanged meaning are written
 * as they are now.
 */
function inPresentWords(present: Strategy, wanted: Strategy): Strategy {
  const differing = new Set(fields.filter((field) => !isSameIn(field, present, wanted)));
  if (differing.size === 0) return present;
  const said = fields.map((field) => [field, (differing.has(field) ? wanted : present)[field]]);
  return { name: wanted.name, ...Object.fromEntries(said.filter(([, value]) => value !== undefined)) };
}

/** Compares the variants as they are shown: by name, with the weights that are in effect. */
function meansSame(present: readonly Variant[], wanted: readonly Variant[]): boolean {
  const [before, after] = [weigh(present), weigh(inWeightOrder(wanted))];
  return isSameList(before, after) && before.every(({ weight }, index) => weight === after[index]?.weight);
}

/** Orders variants so that the remainder of the weights goes to the same variants as in the document. */
export function inWeightOrder(variants: readonly Variant[]): Variant[] {
  const rank = (variant: Variant) => (weightTypeOf(variant) === 'variable' ? (variant.weight ?? 0) : 0);
  return variants.toSorted((a, b) => rank(b) - rank(a));
}

/**
 * Writes one list for all environments if the document has one for the whole flag, or if the flag is replaced and all
 * its environments have the same one. Otherwise writes the lists of the environments that the document mentions.
 */
function withVariants(spec: FlagSpec, { wanted, replace }: FlagImport): FlagSpec {
  const whole = wanted.variants ?? (replace ? onlyList(wanted) : undefined);
  const spoken = [...wanted.environments].flatMap(([name, { variants }]) => (variants ? [{ name, variants }] : []));
  const present = (name: string) => environmentOf(spec, name).variants ?? spec.variants ?? [];
  if (whole && !wanted.variants && spoken.length > 0) {
    if (spoken.every(({ name, variants }) => meansSame(present(name), variants))) return spec;
  }
  if (whole) return isOneList(spec, whole) ? spec : setVariants(spec, inWeightOrder(whole));
  return spoken
    .filter(({ name, variants }) => !meansSame(present(name), variants))
    .reduce((sum, { name, variants }) => setVariantsIn(sum, [name], inWeightOrder(variants)), spec);
}

/** Whether the list is that of the flag and of every environment. */
function isOneList(spec: FlagSpec, list: readonly Variant[]): boolean {
  const own = Object.values(spec.environments ?? {}).some((environment) => environment?.variants);
  return !own && meansSame(spec.variants ?? [], list);
}

/**
 * The list that all environments of the document have; undefined if they differ. Empty if no environment has one. The
 * list of a single environment says nothing about others.
 */
function onlyList({ environments }: WantedFlag): readonly Variant[] | undefined {
  const [first = [], ...others] = [...environments.values()].flatMap(({ variants }) => (variants ? [variants] : []));
  if (others.length === 0 && first.length > 0) return undefined;
  return others.every((other) => isSameJson(first, other) || meansSame(first, other)) ? first : undefined;
}

interface Meeting extends FlagImport {
  /** The namespace of the project that the document names; undefined if there is no such project. */
  readonly namespace: string | undefined;
}

/** Refuses the import if the present flag with the name can never become the wanted one. */
export function refuseUnlikeFlag(flag: FeatureFlag, { wanted, replace, namespace }: Meeting): void {
  const { name, project, at } = wanted;
  const refuse = (why: string): never => {
    const message = `Cannot overwrite the flag "${name}": ${why}`;
    throw new Refusal('name-taken', message, { details: [{ part: 'document', keys: [...at, 'name'], message }] });
  };
  const present = projectIdOf(flag);
  if (present !== project) {
    refuse(`it is in project "${present}", and not in "${project}". Delete it first, or name its project.`);
  }
  if (namespace !== undefined && namespace !== flag.metadata.namespace) {
    refuse(`it is in another namespace than the project "${project}". Delete it first.`);
  }
  if (isArchived(flag) && !wanted.archived && !replace) {
    refuse('it is archived. Revive it, delete it for good, or leave it as it is with keep=true.');
  }
  const [defect] = flag.defects;
  if (defect) refuse(`${defectText(defect)} Fix it with kubectl first.`);
}
