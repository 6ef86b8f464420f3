/** Reads flag definitions of flagd, also those in objects of the OpenFeature Operator, into flags of Vexil. */
import { recordOf } from '../../../src/model/json.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { ALWAYS } from '../rules/alternatives.ts';
import { flagObject, metadataLoss } from '../rules/flag-object.ts';
import { placeOfRules } from '../rules/place-of-rules.ts';
import type { Given } from '../rules/records.ts';
import { one, type TargetingRule } from '../rules/targeting-rule.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { oppositeOf } from './condition.ts';
import { readTargeting } from './targeting.ts';

/** `path` is the path of the definitions in the document. */
export function readFlagd(
  { flags, $evaluators, metadata }: Given,
  options: ImportOptions,
  path: readonly string[],
): Imported {
  const evaluators = recordOf($evaluators);
  const read = Object.entries(recordOf(flags)).map(([name, flag]) =>
    readFlag({ name, flag: recordOf(flag), evaluators, path: [...path, 'flags', name] }, options),
  );
  return together([{ objects: [], unmapped: metadataLoss(metadata, path) }, ...read]);
}

interface FlagdFlag {
  readonly name: string;
  readonly flag: Given;
  readonly evaluators: Given;
  readonly path: readonly string[];
}

function readFlag({ name, flag, evaluators, path }: FlagdFlag, { project, environment }: ImportOptions): Imported {
  const { state, targeting, metadata, defaultVariant } = flag;
  const variants = new Map(Object.entries(recordOf(flag['variants'])));
  const rules = rulesOf(flag, evaluators);
  const { place, unmapped } = placeOfRules({
    ...{ name, rules, variants, path, isEnabled: state !== 'DISABLED' },
    rulesAt: { path: [...path, 'targeting'], value: targeting },
    value: { ...(targeting !== undefined && { targeting }), ...(defaultVariant !== undefined && { defaultVariant }) },
  });
  return {
    objects: [flagObject({ name, project, environments: { [environment]: place } })],
    unmapped: [...metadataLoss(metadata, path), ...withoutDefault(defaultVariant, path), ...unmapped],
  };
}

const WITHOUT_DEFAULT =
  'Without a default variant the application decides. Here the flag is off for these users: add a strategy for them.';

function withoutDefault(value: unknown, path: readonly string[]): readonly Unmapped[] {
  return typeof value === 'string' ? [] : [lost([...path, 'defaultVariant'], value, WITHOUT_DEFAULT)];
}

/** Returns undefined if Vexil has no such rules. The last rule is that of the default variant. */
function rulesOf({ targeting, defaultVariant }: Given, evaluators: Given): readonly TargetingRule[] | undefined {
  const read = readTargeting(targeting ?? {}, { evaluators, defaultVariant });
  const targeted = read?.map((rule) => ({ ...rule, unless: oppositeOf(rule.when) }));
  const byDefault = typeof defaultVariant === 'string' ? [{ when: ALWAYS, outcome: one(defaultVariant) }] : [];
  return targeted && [...targeted, ...byDefault];
}
