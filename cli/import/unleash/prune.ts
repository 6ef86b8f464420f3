/** Removes what Vexil cannot read from a state document, so that no flag is on for more users than before. */
import type { PropertyDetail } from '../../../src/errors.ts';
import { pathOfKeys, type Unmapped } from '../unmapped.ts';

type Keys = readonly string[];

/** Properties whose removal does not change what the rest means for users. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  features: ['type', 'description', 'stale', 'impressionData', 'lifetimeDays', 'enabled', 'variants'],
  featureStrategies: ['title'],
  featureEnvironments: ['enabled', 'variants'],
  environments: ['displayName', 'sortOrder', 'enabled', 'protected'],
  projects: ['description', 'defaultStickiness'],
  strategies: ['title', 'displayName', 'description', 'deprecated'],
  segments: ['description'],
};

export interface Pruning {
  /** Returns whether there was something to remove. */
  remove(detail: Pick<PropertyDetail, 'keys' | 'complaint' | 'value'>): boolean;
  readonly unmapped: readonly Unmapped[];
}

/** Changes the document, which must be a copy. */
export function createPruning(document: object): Pruning {
  const unmapped: Unmapped[] = [];
  const places = new WeakMap<object, number>();
  numberItems(document, places);
  return {
    unmapped,
    remove({ keys, complaint, value }) {
      const unit = unitOf(keys);
      const found = find(document, unit, places);
      if (!found) return false;
      const { parent, key, path } = found;
      const inner = pathOfKeys(keys.slice(unit.length));
      const seen = inner === '' || value === undefined ? '' : ` It is ${value}.`;
      const advice = `${inner || 'It'} ${complaint}${seen} It is left out: ${adviceOf(keys)}.`;
      unmapped.push({ path, value: Reflect.get(parent, key), advice });
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else Reflect.deleteProperty(parent, key);
      return true;
    },
  };
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

interface Found {
  readonly parent: object;
  readonly key: string;
  readonly path: string;
}

/** Returns undefined if the document has no such part. */
function find(root: object, keys: Keys, places: WeakMap<object, number>): Found | undefined {
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
