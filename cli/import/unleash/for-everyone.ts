/** Adds the strategy for everyone to flags that are on without a strategy: SDKs treat them as on, Vexil as off. */
import { isRecord } from '../../../src/model/json.ts';

type Row = Readonly<Record<string, unknown>>;

const EVERYONE = 'default';

/** Changes the document, which must be a copy. Appends new items to the lists. */
export function addStrategiesForEveryone({ features, featureEnvironments, featureStrategies }: Row): void {
  const places = rowsOf(featureEnvironments);
  if (!Array.isArray(featureStrategies)) for (const feature of rowsOf(features)) addToFlag(feature);
  else featureStrategies.push(...missingRows(places, rowsOf(featureStrategies)));
}

function addToFlag(feature: Row): void {
  const { enabled, strategies = [] } = feature;
  const isBare = enabled === true && Array.isArray(strategies) && strategies.length === 0;
  if (isBare) Object.assign(feature, { strategies: [{ name: EVERYONE }] });
}

function missingRows(places: readonly Row[], strategies: readonly Row[]): readonly Row[] {
  const used = new Set(strategies.map(keyOf));
  return places
    .filter((row) => row['enabled'] === true && !used.has(keyOf(row)))
    .map(({ featureName, environment }) => ({ featureName, environment, strategyName: EVERYONE }));
}

function keyOf({ featureName, environment }: Row): string {
  return JSON.stringify([featureName, environment]);
}

function rowsOf(list: unknown): readonly Row[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
