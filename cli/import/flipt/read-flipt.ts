/** Reads files of Flipt 1 and 2 (`features.yaml`) into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { isRecord, recordsIn } from '../../../src/model/json.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { flagObject, metadataLoss } from '../rules/flag-object.ts';
import { placeOfRules } from '../rules/place-of-rules.ts';
import type { Given } from '../rules/records.ts';
import { ON_OR_OFF } from '../rules/targeting-rule.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { booleanRules, matchRules, variantRules } from './rules.ts';
import { type FliptSegments, readFliptSegments } from './segments.ts';

export function isFlipt({ flags, segments }: Given): boolean {
  const hasSegments = recordsIn(segments).some((one) => 'key' in one && ('match_type' in one || 'constraints' in one));
  return recordsIn(flags).some((one) => typeof one['key'] === 'string') || (flags === undefined && hasSegments);
}

/** Files of one namespace share their segments. */
export function readFlipt(document: Given, options: ImportOptions): Imported {
  const namespace = namespaceOf(document);
  const all = (options.documents ?? [document]).filter(isRecord).filter(isFlipt);
  const own = all.filter((one) => namespaceOf(one) === namespace);
  const segments = readFliptSegments(
    own.flatMap((one) => recordsIn(one['segments'])),
    { project: options.project ?? DEFAULT_PROJECT, prefix: own.length === all.length ? '' : `${namespace}-` },
  );
  const read = recordsIn(document['flags']).map((flag) => readFlag(flag, segments, options));
  const isFirst = own[0] === document;
  return together([...(isFirst ? [{ objects: [], unmapped: namespaceNote(namespace) }, segments] : []), ...read]);
}

function namespaceOf({ namespace }: Given): string {
  return String((isRecord(namespace) ? namespace['key'] : namespace) ?? DEFAULT_NAMESPACE);
}

const DEFAULT_NAMESPACE = 'default';
const NAMESPACE = 'A namespace of Flipt can be a project or an environment: name it with --project or --env.';

function namespaceNote(namespace: string): readonly Unmapped[] {
  return namespace === DEFAULT_NAMESPACE ? [] : [{ ...lost(['namespace'], namespace, NAMESPACE), isNote: true }];
}

function readFlag(flag: Given, { conditionOf }: FliptSegments, { project, environment }: ImportOptions): Imported {
  const { description, rules, rollouts } = flag;
  const name = String(flag['key']);
  const path = ['flags', name];
  const isBoolean = flag['type'] === 'BOOLEAN_FLAG_TYPE';
  const variants = recordsIn(flag['variants']).map(({ key, attachment }) => [String(key), attachment] as const);
  const isMatch = !isBoolean && variants.length === 0;
  const readRules = isBoolean ? booleanRules : isMatch ? matchRules : variantRules;
  const { place, unmapped } = placeOfRules({
    ...{ name, path, rules: readRules(flag, conditionOf), isEnabled: isBoolean || flag['enabled'] === true },
    variants: isBoolean || isMatch ? ON_OR_OFF : new Map(variants),
    rulesAt: { path, value: { rules, rollouts } },
    value: { rules, rollouts },
  });
  return {
    objects: [flagObject({ name, project, description, environments: { [environment]: place } })],
    unmapped: [
      ...metadataLoss(flag['metadata'], path),
      ...unmapped,
      ...(isMatch ? [lost(path, flag['enabled'], WITHOUT_VARIANTS)] : []),
      ...whenOff(flag, isBoolean, path),
    ],
  };
}

const WITHOUT_VARIANTS =
  'The flag has no variants: it is written as on for those for whom a rule holds. Applications that read `enabled` alone need a strategy for everyone.';
const OFF =
  'Switched off, the flag gives its default variant in Flipt. Vexil gives none: the application must have it.';

function whenOff({ enabled, variants }: Given, isBoolean: boolean, path: readonly string[]): readonly Unmapped[] {
  const byDefault = recordsIn(variants).find((variant) => variant['default'] === true);
  return isBoolean || enabled === true || !byDefault ? [] : [lost([...path, 'enabled'], byDefault['key'], OFF)];
}
