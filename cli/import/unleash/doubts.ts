/** What an export of Unleash does not say, although it decides who gets a flag. */
import { isRecord, recordsIn } from '../../../src/model/json.ts';
import type { Unmapped } from '../unmapped.ts';

type Row = Readonly<Record<string, unknown>>;

/** The first strategy that applies decides on the variant. */
export function doubtOrder({ featureStrategies }: Row): readonly Unmapped[] {
  const groups = Map.groupBy(recordsIn(featureStrategies), placeOf);
  return [...groups].flatMap(([path, rows]) => {
    const isSaid = rows.length < 2 || rows.every(({ sortOrder }) => typeof sortOrder === 'number');
    const decides = rows.some(({ variants }) => Array.isArray(variants) && variants.length > 0);
    if (isSaid || !decides) return [];
    const advice = `The export does not say the order of its ${rows.length} strategies, and the first one that applies decides the variant. They are in the order of the file: compare it with Unleash.`;
    return [{ path: `${path}: strategies`, value: rows.map(({ strategyName }) => strategyName), advice }];
  });
}

/** State exports of Unleash 5 have no dependencies; Vexil's own ones, and exports of one environment, have them. */
export function doubtDependencies({ version = 4, features, dependencies }: Row): readonly Unmapped[] {
  const flags = recordsIn(features);
  const isSaid = Array.isArray(dependencies) || flags.some((flag) => Object.hasOwn(flag, 'dependencies'));
  if (version !== 4 || isSaid || flags.length === 0) return [];
  const advice =
    'The export does not say whether flags depend on others: a flag that does is on for more users without its parent. Import with --from-url, or add spec.dependencies by hand.';
  return [{ path: 'features: dependencies', value: undefined, advice }];
}

/** What SDKs read in several ways: Vexil serves what most of them read. */
export function doubtBuckets({ features, featureStrategies }: Row): readonly Unmapped[] {
  const inFlags = recordsIn(features).flatMap((flag) =>
    recordsIn(flag['strategies']).map((row): Row => ({ ...row, featureName: flag['name'], strategyName: row['name'] })),
  );
  return [...recordsIn(featureStrategies), ...inFlags].flatMap((row) => {
    const { groupId, stickiness } = parametersOf(row);
    const [variant] = recordsIn(row['variants']);
    const isShare = row['strategyName'] === 'flexibleRollout' && isPartial(row);
    const isOther = variant !== undefined && stickiness !== undefined && variant['stickiness'] !== stickiness;
    return [
      ...(!groupId && (isShare || variant) ? [{ path: `${placeOf(row)}: groupId`, value: null, advice: GROUP }] : []),
      ...(isOther ? [{ path: `${placeOf(row)}: stickiness`, value: variant['stickiness'], advice: STICKINESS }] : []),
    ];
  });
}

const GROUP =
  'The strategy has no groupId. The name of the flag is served. SDKs for Node.js hashed without it, and those for Go gave none of its variants: there, other users are in the share, or get another variant.';
const STICKINESS =
  'The variants have another stickiness than their strategy, which decides here and in most SDKs. SDKs for Node.js took that of the first variant: there, users get another variant.';

function parametersOf({ parameters }: Row): Row {
  return isRecord(parameters) ? parameters : {};
}

function isPartial(row: Row): boolean {
  const { rollout, stickiness } = parametersOf(row);
  return rollout !== '100' && rollout !== 100 && stickiness !== 'random';
}

function placeOf({ featureName, environment }: Row): string {
  return typeof environment === 'string' ? `flag ${featureName} in ${environment}` : `flag ${featureName}`;
}
