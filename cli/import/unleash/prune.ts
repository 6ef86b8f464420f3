/** Removes what Vexil cannot read from a state document, so that no flag is on for more users than before. */
import { metadataFields } from '../../../src/domain/flag/metadata-fields.ts';
import type { PropertyDetail } from '../../../src/errors.ts';
import { pathOfKeys, type Unmapped } from '../unmapped.ts';

type Keys = readonly string[];

/** Properties whose removal does not change what the rest means for users. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  features: [...metadataFields, 'enabled', 'variants'],
  featureStrategies: ['title'],
  featureEnvironments: ['enabled', 'variants'],
  environments: ['displayName', 'sortOrder', 'enabled', 'protected'],
  projects: ['description', 'defaultStickiness'],
  strategies: ['title', 'displayName', 'description', 'deprecated'],
  segments: ['description'],
};

/** A part of a document, and why Vexil cannot read it. */
type UnreadablePart = Pick<PropertyDetail, 'keys' | 'complaint' | 'value'>;

export interface Pruning {
  /**
   * Removes each part once, however many complaints there are about it: another item is in its place afterwards.
   * Returns whether there was something to remove.
   */
  removeAll(complaints: readonly UnreadablePart[]): boolean;
  readonly unmapped: readonly Unmapped[];
}

/** Changes the document, which must be a copy. */
export function createPruning(document: object): Pruning {
  const unmapped: Unmapped[] = [];
  const places = new WeakMap<object, number>();
  numberItems(document, places);
  const remove = (unit: Keys, about: readonly UnreadablePart[]): boolean => {
    const found = find(document, unit, places);
    if (!found) return false;
    const { parent, key, path } = found;
    const said = about.map((one) => sentenceOf(one, unit)).join(' ');
    unmapped.push({
      path,
      value: Reflect.get(parent, key),
      advice: `${said} It is left out: ${adviceOf(about[0]?.keys ?? unit)}.`,
    });
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else Reflect.deleteProperty(parent, key);
    return true;
  };
  return {
    unmapped,
    removeAll(complaints) {
      const units = Map.groupBy(complaints, ({ keys }) => JSON.stringify(unitOf(keys)));
      return [...units.values()]
        .map((about) => ({ unit: unitOf(about[0]?.keys ?? []), about }))
        .sort((a, b) => -compareKeys(a.unit, b.unit))
        .map(({ unit, about }) => remove(unit, about))
        .includes(true);
    },
  };
}

function sentenceOf({ keys, complaint, value }: UnreadablePart, unit: Keys): string {
  const inner = pathOfKeys(keys.slice(unit.length));
  const seen = inner === '' || value === undefined ? '' : ` It is ${value}.`;
  return `${inner || 'It'} ${complaint}${seen}`;
}

/** The last items come first, because removing an item changes the indexes of the items after it. */
function compareKeys(a: Keys, b: Keys): number {
  const difference = a.findIndex((key, index) => key !== b[index]);
  if (difference < 0) return a.length - b.length;
  return (a[difference] ?? '').localeCompare(b[difference] ?? '', 'en', { numeric: true });
}

/** Returns the smallest part that can be removed alone. */
function unitOf(keys: Keys): Keys {
  const [section = '', , property = '', index] = keys;
  if (section === 'features' && property === 'strategies' && index !== undefined) return keys.slice(0, 4);
  return keys.slice(0, HARMLESS[section]?.includes(property) ? 3 : 2);
}

function adviceOf([section, , property]: Keys): string {
  if (property === 'variants') return 'add the variants by hand';
  if (section === 'featureStrategies' || property === 'strategies') return 'add a strategy by hand';
  return 'add it by hand where it is needed';
}

/** Records the indexes that items have in the document of the user. */
function numberItems(value: unknown, places: WeakMap<object, number>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [index, item] of Object.values(value).entries()) {
    if (Array.isArray(value) && typeof item === 'object' && item !== null) places.set(item, index);
    numberItems(item, places);
  }
}

interface FoundPart {
  readonly parent: object;
  readonly key: string;
  readonly path: string;
}

/** Returns undefined if the document has no such part. */
function find(root: object, keys: Keys, places: WeakMap<object, number>): FoundPart | undefined {
  const path: (string | number)[] = [];
  let parent: unknown = root;
  for (const [depth, key] of keys.entries()) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
    const value: unknown = Reflect.get(parent, key);
    const number = typeof value === 'object' && value !== null ? places.get(value) : undefined;
    path.push(number ?? key);
    if (depth === keys.length - 1) return { parent, key, path: pathOfKeys(path) };
    parent = value;
  }
  return undefined;
}
