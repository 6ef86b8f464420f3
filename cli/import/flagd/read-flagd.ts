/** Reads flag definitions of flagd, also those in objects of the OpenFeature Operator, into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { isRecord } from '../../../src/model/json.ts';
import type { Imported, ImportedObject, ImportOptions } from '../imported.ts';
import { ALWAYS } from '../rules/alternatives.ts';
import { placeOfRules } from '../rules/place-of-rules.ts';
import { one, type TargetingRule } from '../rules/targeting-rule.ts';
import { pathOfKeys, type Unmapped } from '../unmapped.ts';
import { oppositeOf } from './condition.ts';
import { readTargeting } from './targeting.ts';

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
  const rules = rulesOf(flag, evaluators);
  const { place, unmapped: lost } = placeOfRules({
    ...{ name, rules, variants, path, isEnabled: state !== 'DISABLED' },
    rulesAt: { path: [...path, 'targeting'], value: targeting },
    value: { ...(targeting !== undefined && { targeting }), ...(defaultVariant !== undefined && { defaultVariant }) },
  });
  const { project = DEFAULT_PROJECT, environment } = options;
  const spec = { ...(project !== DEFAULT_PROJECT && { project }), environments: { [environment]: place } };
  const object: ImportedObject<'flags'> = { kind: 'flags', name, spec };
  return {
    objects: [object],
    unmapped: [...metadataOf(metadata, path), ...withoutDefault(defaultVariant, path), ...lost],
  };
}

function withoutDefault(value: unknown, path: readonly string[]): readonly Unmapped[] {
  if (typeof value === 'string') return [];
  const advice =
    'Without a default variant the application decides. Here the flag is off for these users: add a strategy for them.';
  return [{ path: pathOfKeys([...path, 'defaultVariant']), value, advice }];
}

/** Returns undefined if Vexil has no such rules. The last rule is that of the default variant. */
function rulesOf({ targeting, defaultVariant }: Given, evaluators: Given): readonly TargetingRule[] | undefined {
  const read = readTargeting(targeting ?? {}, { evaluators, defaultVariant });
  const targeted = read?.map((rule) => ({ ...rule, unless: oppositeOf(rule.when) }));
  const byDefault = typeof defaultVariant === 'string' ? [{ when: ALWAYS, outcome: one(defaultVariant) }] : [];
  return targeted && [...targeted, ...byDefault];
}
