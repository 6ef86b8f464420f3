/** What an export of Unleash does not say, or not for sure, although it decides who gets a flag (ADR 52). */
import { aboutFlag } from '../../../domain/state/wanted.ts';
import { isRecord, recordsIn } from '../../../model/json.ts';
import { eachRow, type Pause } from './state-rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** A part of an export that does not mean the same after an import, or may not. */
export interface StateNote {
  /** The place in the document, or the flag with its environment. */
  readonly path: string;
  readonly value: unknown;
  /** Says what is written instead, and what to do. */
  readonly advice: string;
  /** Nothing is lost: flags mean the same. */
  readonly isNote?: true;
}

interface Doubting {
  /** The export of one environment from which the document was made. */
  readonly batch?: { readonly given: Row; readonly trustSwitches: boolean } | undefined;
  readonly pause: Pause;
}

/** Switches off, in the document, what is not known to be on; so the document must be a copy. */
export async function doubtState(document: Row, { batch, pause }: Doubting): Promise<readonly StateNote[]> {
  return [
    ...(batch && !batch.trustSwitches ? doubtSwitches(document) : []),
    ...(batch ? doubtBareFlags(document) : []),
    ...(await doubtOrder(document, pause)),
    ...doubtDependencies(document, batch?.given ?? document),
    ...(await doubtBuckets(document, pause)),
  ];
}

/**
 * Some versions of Unleash 6 export the flags of one environment as on, all of them. Only a row that says `false` shows
 * that the others are on: an import leaves out a row that cannot be read.
 */
function doubtSwitches({ featureEnvironments }: Row): readonly StateNote[] {
  const rows = recordsIn(featureEnvironments);
  const isSaid = rows.some(({ enabled }) => enabled === false);
  if (isSaid || !Array.isArray(featureEnvironments) || featureEnvironments.length < 2) return [];
  return rows.filter(({ enabled }) => enabled === true).map((row) => switchedOff(row, SWITCH));
}

const SWITCH =
  'Every flag of this export is on, as some versions of Unleash 6 write it for flags that are off, too. It is written switched off: import with --from-url, or say that all are on (--trust-switches, or trustSwitches=true of the API).';

/** An export of one environment has no strategies for flags that were never configured there: they stay off. */
function doubtBareFlags({ featureEnvironments, featureStrategies }: Row): readonly StateNote[] {
  const used = new Set(recordsIn(featureStrategies).map(placeOf));
  return recordsIn(featureEnvironments)
    .filter((row) => row['enabled'] === true && !used.has(placeOf(row)))
    .map((row) => switchedOff(row, BARE));
}

const BARE =
  'It is on without a strategy. It is written switched off: add a strategy and switch it on if it is on for everyone.';

function switchedOff(row: Row, advice: string): StateNote {
  Object.assign(row, { enabled: false });
  return { path: placeOf(row), value: true, advice };
}

interface PlaceOfStrategies {
  readonly types: unknown[];
  isNumbered: boolean;
  choosesVariant: boolean;
}

/** The first strategy that applies decides on the variant. */
async function doubtOrder({ featureStrategies }: Row, pause: Pause): Promise<readonly StateNote[]> {
  const places = new Map<string, PlaceOfStrategies>();
  await eachRow(recordsIn(featureStrategies), pause, (row) => {
    const path = placeOf(row);
    const place = places.get(path) ?? { types: [], isNumbered: true, choosesVariant: false };
    places.set(path, place);
    place.types.push(row['strategyName']);
    place.isNumbered &&= typeof row['sortOrder'] === 'number';
    place.choosesVariant ||= recordsIn(row['variants']).length > 0;
  });
  return [...places].flatMap(([path, { types, isNumbered, choosesVariant }]) => {
    if (types.length < 2 || isNumbered || !choosesVariant) return [];
    const advice = `The export does not say the order of its ${types.length} strategies, and the first one that applies decides the variant. They are in the order of the file: compare it with Unleash.`;
    return [{ path: `${path}: strategies`, value: types, advice }];
  });
}

/** State exports of Unleash 5 have no dependencies; Vexil's own ones, and exports of one environment, have them. */
function doubtDependencies({ version, features }: Row, { dependencies }: Row): readonly StateNote[] {
  const flags = recordsIn(features);
  const isSaid = Array.isArray(dependencies) || flags.some((flag) => Object.hasOwn(flag, 'dependencies'));
  if (version !== 4 || isSaid || flags.length === 0) return [];
  const advice =
    'The export does not say whether flags depend on others: a flag that does is on for more users without its parent. Import with --from-url, or add spec.dependencies by hand.';
  return [{ path: 'features: dependencies', value: undefined, advice }];
}

/** What SDKs read in several ways: Vexil serves what most of them read. */
async function doubtBuckets({ features, featureStrategies }: Row, pause: Pause): Promise<readonly StateNote[]> {
  const notes: StateNote[] = [];
  await eachRow(recordsIn(featureStrategies), pause, (row) => notes.push(...bucketsOf(row)));
  await eachRow(recordsIn(features), pause, (flag) => {
    for (const row of recordsIn(flag['strategies']))
      notes.push(...bucketsOf({ ...row, featureName: flag['name'], strategyName: row['name'] }));
  });
  return notes;
}

function bucketsOf(row: Row): readonly StateNote[] {
  const parameters: Row = isRecord(row['parameters']) ? row['parameters'] : {};
  const { groupId, stickiness } = parameters;
  const [variant] = recordsIn(row['variants']);
  const isShare = row['strategyName'] === 'flexibleRollout' && isPartial(parameters);
  const ofVariants = variant?.['stickiness'] ?? 'default';
  const isOther = variant !== undefined && stickiness !== undefined && ofVariants !== stickiness;
  return [
    ...(!groupId && (isShare || variant) ? [{ path: `${placeOf(row)}: groupId`, value: null, advice: GROUP }] : []),
    ...(isOther ? [{ path: `${placeOf(row)}: stickiness`, value: ofVariants, advice: STICKINESS }] : []),
  ];
}

const GROUP =
  'The strategy has no groupId. The name of the flag is served. SDKs for Node.js hashed without it, and those for Go gave none of its variants: there, other users are in the share, or get another variant.';
const STICKINESS =
  'The variants have another stickiness than their strategy, which decides here and in most SDKs. SDKs for Node.js took that of the first variant: there, users get another variant.';

function isPartial({ rollout, stickiness }: Row): boolean {
  return rollout !== '100' && rollout !== 100 && stickiness !== 'random';
}

function placeOf({ featureName, environment }: Row): string {
  return aboutFlag(`${featureName}`, typeof environment === 'string' ? environment : undefined);
}
