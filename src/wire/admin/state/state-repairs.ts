/** Repairs that every import makes to a state document, so that flags mean for users what they meant before. */
import type { PropertyDetail } from '../../../errors.ts';
import { quoteValue } from '../../../model/invalid-input.ts';
import { isRecord } from '../../../model/json.ts';
import { rowName } from './row-name.ts';
import { eachRow, type Pause } from './state-rows.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Repair {
  /** The keys of the part in the document. */
  readonly at: readonly string[];
  /** The flag with its environment; undefined if the row does not say it. */
  readonly of: string | undefined;
  readonly value: unknown;
  /** Says what is written instead, and why; follows the name of the part. */
  readonly done: string;
  /** No SDK gives a user another value than before. */
  readonly isNote: boolean;
}

/** The strategy that is on for everyone. */
const EVERYONE = 'default';

/** Changes the document, which must be a copy; appends new rows to its lists. */
export async function repairState(document: Row, pause: Pause): Promise<readonly Repair[]> {
  const repairs: Repair[] = [];
  const { features, featureStrategies } = document;
  if (Array.isArray(featureStrategies)) await repairSwitches(document, { list: featureStrategies, repairs, pause });
  await eachRow(rowsOf(featureStrategies), pause, (row, index) => {
    repairs.push(...rounded(row, { at: ['featureStrategies', `${index}`], of: rowName('featureStrategies', row) }));
  });
  const isInline = !Array.isArray(featureStrategies) && !Array.isArray(document['featureEnvironments']);
  await eachRow(rowsOf(features), pause, (flag, index) => {
    const place = { at: ['features', `${index}`], of: rowName('features', flag) };
    repairs.push(...(isInline ? inlineSwitch(flag, place) : []));
    for (const [number, strategy] of rowsOf(flag['strategies']).entries()) {
      repairs.push(...rounded(strategy, { ...place, at: [...place.at, 'strategies', `${number}`] }));
    }
  });
  return repairs;
}

/** A repair as an error would name its place. */
export function repairDetail({ at, of, value, done }: Repair): PropertyDetail {
  return { part: 'document', keys: at, complaint: done, value: quoteValue(value), ...(of !== undefined && { of }) };
}

/** The part that is written in another way, in a few words. */
export function repairedPart({ of = 'the document', at }: Repair): string {
  return `${of} ${at.at(-1)}`;
}

type RepairedPart = Pick<Repair, 'at' | 'of'>;

interface Switches {
  /** The rows of all strategies. */
  readonly list: unknown[];
  readonly repairs: Repair[];
  readonly pause: Pause;
}

async function repairSwitches(document: Row, { list, repairs, pause }: Switches): Promise<void> {
  const places = new Map<string, boolean>();
  await eachRow(rowsOf(list), pause, (row) => {
    const key = keyOf(row);
    places.set(key, places.get(key) === true || row['disabled'] !== true);
  });
  await eachRow(rowsOf(document['featureEnvironments']), pause, (row, index) => {
    const { featureName, environment } = row;
    const place = { at: ['featureEnvironments', `${index}`, 'enabled'], of: rowName('featureEnvironments', row) };
    const isActive = places.get(keyOf(row));
    if (row['enabled'] !== true || isActive === true) return;
    if (isActive === undefined) list.push({ featureName, environment, strategyName: EVERYONE });
    else Object.assign(row, { enabled: false });
    repairs.push(switchRepair(place, isActive));
  });
}

/** A flag that does not say its strategies keeps those that it has. */
function inlineSwitch(flag: Row, { at, of }: RepairedPart): readonly Repair[] {
  const { enabled, strategies } = flag;
  if (enabled !== true || !Array.isArray(strategies)) return [];
  if (strategies.some((one) => !isRecord(one) || one['disabled'] !== true)) return [];
  const isEmpty = strategies.length === 0;
  Object.assign(flag, isEmpty ? { strategies: [{ name: EVERYONE }] } : { enabled: false });
  return [switchRepair({ at: [...at, 'enabled'], of }, isEmpty ? undefined : false)];
}

/** `isActive` is false if all strategies are disabled, undefined if there is none. */
function switchRepair(place: RepairedPart, isActive: false | undefined): Repair {
  const done =
    isActive === undefined
      ? 'has no strategies beside it: Unleash is on for everyone then, so the strategy `default` is added.'
      : 'has only disabled strategies beside it: the flag is written switched off.';
  return { ...place, value: true, done, isNote: true };
}

const PERCENTAGES = ['rollout', 'percentage'] as const;
const DECIMALS = /^\d{1,3}[.]\d+$/;

/** Rounds percentages down: buckets are whole numbers, so no SDK applies decimals. */
function rounded({ parameters }: Row, { at, of }: RepairedPart): readonly Repair[] {
  if (!isRecord(parameters)) return [];
  return PERCENTAGES.flatMap((name): readonly Repair[] => {
    const value = parameters[name];
    if (!DECIMALS.test(`${value}`)) return [];
    const whole = `${Math.floor(Number(value))}`;
    Object.assign(parameters, { [name]: whole });
    const done = `is written as ${whole}: no SDK applies decimals, and the one for Python was off for everyone.`;
    return [{ at: [...at, 'parameters', name], of, value, done, isNote: false }];
  });
}

function keyOf({ featureName, environment }: Row): string {
  return JSON.stringify([featureName, environment]);
}

/** Rows that are no objects are empty here, so that the others keep their numbers. */
function rowsOf(list: unknown): readonly Row[] {
  return Array.isArray(list) ? list.map((row) => (isRecord(row) ? row : {})) : [];
}
