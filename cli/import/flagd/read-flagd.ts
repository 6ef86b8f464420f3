/** Reads flag definitions of flagd, also those in objects of the OpenFeature Operator, into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { isRecord } from '../../../src/model/json.ts';
import type { FlagEnvironment } from '../../../src/schema/feature-flag.ts';
import type { Payload } from '../../../src/schema/variant.ts';
import type { Imported, ImportedObject, ImportOptions } from '../imported.ts';
import { pathOfKeys, type Unmapped } from '../unmapped.ts';
import { booleanStrategies } from './boolean-strategies.ts';
import { one, readTargeting, type TargetingRule } from './targeting.ts';
import { type Strategies, variantStrategies } from './variant-strategies.ts';

type Given = Readonly<Record<string, unknown>>;

/** `path` is the path of the definitions in the document. */
export function readFlagd(
  { flags, $evaluators, metadata }: Given,
  options: ImportOptions,
  path: readonly string[],
): Imported {
  const evaluators = isRecord($evaluators) ? $evaluators : {};
  const read = Object.entries(isRecord(flags) ? flags : {}).map(([name, flag]) =>
    readFlag({ name, flag: isRecord(flag) ? flag : {}, evaluators, path: [...path, 'flags', name] }, options),
  );
  return {
    objects: read.flatMap(({ objects }) => objects),
    unmapped: [...metadataOf(metadata, path), ...read.flatMap(({ unmapped }) => unmapped)],
  };
}

function metadataOf(value: unknown, path: readonly string[]): readonly Unmapped[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [];
  const advice = 'Vexil has no metadata of its own. Use labels of the object, or tags of the flag.';
  return [{ path: pathOfKeys([...path, 'metadata']), value, advice }];
}

interface Reading {
  readonly name: string;
  readonly flag: Given;
  readonly evaluators: Given;
  readonly path: readonly string[];
}

function readFlag({ name, flag, evaluators, path }: Reading, options: ImportOptions): Imported {
  const { state, targeting, metadata, defaultVariant } = flag;
  const variants = new Map(Object.entries(isRecord(flag['variants']) ? flag['variants'] : {}));
  const rules = rulesOf(flag, variants, evaluators);
  const isBoolean = [...variants.values()].every((value) => typeof value === 'boolean');
  const strategies =
    rules &&
    (isBoolean ? booleanStrategies(name, rules, variants) : variantStrategies(name, rules, payloadsOf(variants)));
  const lost: readonly Unmapped[] = strategies
    ? [
        ...(isBoolean ? [] : unusedVariants(rules ?? [], variants, path)),
        ...strategies.notes.map((advice) => ({ path: pathOfKeys([...path, 'targeting']), value: targeting, advice })),
      ]
    : [
        {
          path: pathOfKeys(path),
          value: {
            ...(targeting !== undefined && { targeting }),
            ...(defaultVariant !== undefined && { defaultVariant }),
          },
          advice: 'Vexil has no such rules. The flag is written switched off and without strategies: add them by hand.',
        },
      ];
  const { project = DEFAULT_PROJECT, environment } = options;
  const place = placeOf(strategies, state !== 'DISABLED');
  const spec = { ...(project !== DEFAULT_PROJECT && { project }), environments: { [environment]: place } };
  const object: ImportedObject<'flags'> = { kind: 'flags', name, spec };
  return {
    objects: [object],
    unmapped: [...metadataOf(metadata, path), ...withoutDefault(defaultVariant, path), ...lost],
  };
}

function unusedVariants(
  rules: readonly TargetingRule[],
  variants: ReadonlyMap<string, unknown>,
  path: readonly string[],
): readonly Unmapped[] {
  const used = new Set(rules.flatMap(({ outcome }) => outcome.shares.map(({ variant }) => variant)));
  return [...variants]
    .filter(([name]) => !used.has(name))
    .map(([name, value]) => {
      const advice = 'No rule gives this variant. It is left out: add it to a strategy.';
      return { path: pathOfKeys([...path, 'variants', name]), value, advice };
    });
}

function withoutDefault(value: unknown, path: readonly string[]): readonly Unmapped[] {
  if (typeof value === 'string') return [];
  const advice =
    'Without a default variant the application decides. Here the flag is off for these users: add a strategy for them.';
  return [{ path: pathOfKeys([...path, 'defaultVariant']), value, advice }];
}

/**
 * Returns undefined if the rules name unknown variants, or Vexil has no such rules. The last rule is that of the
 * default variant.
 */
function rulesOf(
  { targeting, defaultVariant }: Given,
  variants: ReadonlyMap<string, unknown>,
  evaluators: Given,
): readonly TargetingRule[] | undefined {
  const targeted = readTargeting(targeting ?? {}, { evaluators, defaultVariant });
  const byDefault = typeof defaultVariant === 'string' ? [{ when: [[]], outcome: one(defaultVariant) }] : [];
  const rules = targeted && [...targeted, ...byDefault];
  const isKnown = rules?.every(({ outcome }) => outcome.shares.every(({ variant }) => variants.has(variant)));
  return isKnown && variants.size > 0 ? untilAlways(rules ?? []) : undefined;
}

/** Removes the rules after one that always holds. */
function untilAlways(rules: readonly TargetingRule[]): readonly TargetingRule[] {
  const last = rules.findIndex(({ when }) => when.some((constraints) => constraints.length === 0));
  return last < 0 ? rules : rules.slice(0, last + 1);
}

function payloadsOf(variants: ReadonlyMap<string, unknown>): ReadonlyMap<string, Payload> {
  return new Map([...variants].map(([name, value]) => [name, payloadOf(value)]));
}

function payloadOf(value: unknown): Payload {
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'number') return { type: 'number', value: `${value}` };
  return { type: 'json', value: JSON.stringify(value) };
}

function placeOf(strategies: Strategies | undefined, isEnabled: boolean): FlagEnvironment {
  if (!strategies) return { enabled: false };
  // The flag is off for everyone; the strategy makes it ready to be switched on.
  if (strategies.strategies.length === 0) return { enabled: false, strategies: { 'rule-1': { name: 'default' } } };
  const numbered = strategies.strategies.map((strategy, index) => [
    `rule-${index + 1}`,
    { ...strategy, ...(strategies.strategies.length > 1 && { sortOrder: index }) },
  ]);
  return { enabled: isEnabled, strategies: Object.fromEntries(numbered) };
}
