/** Reads a config of ConfigCat, versions 5 and 6, into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { recordOf, recordsIn } from '../../../src/model/json.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { conjunction, type Read } from '../rules/alternatives.ts';
import { flagObject } from '../rules/flag-object.ts';
import { placeOfRules } from '../rules/place-of-rules.ts';
import type { Given } from '../rules/records.ts';
import { lostSegment, segmentObjects } from '../rules/segment-objects.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { isHashed, readCondition } from './comparator.ts';
import { rulesOf, variantsOf } from './rules.ts';
import { inVersion6, isVersion5 } from './version-5.ts';

/** What SDKs get: the settings by their keys. */
export function isConfigCat({ f }: Given): boolean {
  return Object.values(recordOf(f)).some((setting) => 't' in recordOf(setting) && 'v' in recordOf(setting));
}

export function readConfigCat({ f: settings, s: given }: Given, options: ImportOptions): Imported {
  const segments = recordsIn(given);
  const { objects, conditions } = segmentObjects(
    segments.map((segment) => ({
      name: String(segment['n']),
      when: conjunction(recordsIn(segment['r']).map((condition) => readCondition(condition).holds)),
    })),
    options.project ?? DEFAULT_PROJECT,
  );
  const read = Object.entries(recordOf(settings)).map(([key, value]) => {
    const setting = recordOf(value);
    const current = isVersion5(setting) ? inVersion6(setting) : setting;
    return readSetting(key, current, { segments, conditions, options });
  });
  const unmapped = segments.flatMap(({ n: name, r: rules }, index) =>
    conditions[index] ? [] : [lostSegment(String(name), rules)],
  );
  return together([{ objects, unmapped }, ...read]);
}

interface ConfigContext {
  readonly segments: readonly Given[];
  readonly conditions: readonly Read[];
  readonly options: ImportOptions;
}

function readSetting(name: string, given: Given, { segments, conditions, options }: ConfigContext): Imported {
  const { project, environment } = options;
  const path = ['f', name];
  const variants = variantsOf(given);
  const value = { r: given['r'], p: given['p'], v: given['v'] };
  const { place, unmapped } = placeOfRules({
    ...{ name, path, value, variants, isEnabled: true },
    rules: rulesOf({ given, variants, segments, segmentAt: (index) => conditions[Number(index)] }),
    rulesAt: { path, value },
  });
  return {
    objects: [flagObject({ name, project, environments: { [environment]: place } })],
    unmapped: [...unmapped, ...hashedNote(given, path)],
  };
}

const HASHED =
  'ConfigCat has only hashes of these values. Choose comparators with clear text there, and get the config again.';

function hashedNote({ r: rules }: Given, path: readonly string[]): readonly Unmapped[] {
  const conditions = recordsIn(rules).flatMap((rule) => recordsIn(rule['c']).map(({ u }) => recordOf(u)));
  const hashed = conditions.filter(({ c }) => isHashed(c));
  return hashed.length === 0 ? [] : [lost([...path, 'r'], hashed, HASHED)];
}
