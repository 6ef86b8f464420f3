/** Rounds percentages down to whole numbers: buckets are whole numbers, so no SDK applies decimals. */
import { isRecord } from '../../../src/model/json.ts';
import type { Unmapped } from '../unmapped.ts';

const PERCENTAGES = ['rollout', 'percentage'] as const;
const DECIMALS = /^\d{1,3}[.]\d+$/;

/** Changes the document, which must be a copy. */
export function roundPercentages({
  features,
  featureStrategies,
}: Readonly<Record<string, unknown>>): readonly Unmapped[] {
  return [
    ...itemsOf(featureStrategies).flatMap((row, index) => roundOne(row, `featureStrategies[${index}]`)),
    ...itemsOf(features).flatMap((row, index) =>
      itemsOf(isRecord(row) ? row['strategies'] : undefined).flatMap((strategy, place) =>
        roundOne(strategy, `features[${index}].strategies[${place}]`),
      ),
    ),
  ];
}

function roundOne(strategy: unknown, path: string): readonly Unmapped[] {
  const parameters = isRecord(strategy) ? strategy['parameters'] : undefined;
  if (!isRecord(parameters)) return [];
  return PERCENTAGES.flatMap((name) => {
    const value = parameters[name];
    if (!DECIMALS.test(`${value}`)) return [];
    const whole = `${Math.floor(Number(value))}`;
    Object.assign(parameters, { [name]: whole });
    return [
      {
        path: `${path}.parameters.${name}`,
        value,
        advice: `It is written as ${whole}: no SDK applies decimals, and the one for Python was off for everyone.`,
      },
    ];
  });
}

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
