/** Configs of version 5 in the form of version 6. */
import { isRecord, recordsIn } from '../../../src/model/json.ts';
import type { Given } from '../rules/records.ts';

/** A value of version 6 says its type. */
export function isVersion5({ v: value }: Given): boolean {
  return !isRecord(value);
}

export function inVersion6(setting: Given): Given {
  const { v: value, t: type, r: rules, p: percentages } = setting;
  const options = recordsIn(percentages).map((option) => ({ p: Number(option['p']), v: typed(option['v'], type) }));
  const total = options.reduce((sum, { p }) => sum + p, 0);
  // Users of no option get the value of the setting.
  const others = options.length > 0 && total < 100 ? [{ p: 100 - total, v: typed(value, type) }] : [];
  return {
    t: type,
    v: typed(value, type),
    p: [...options, ...others],
    r: recordsIn(rules).map((rule) => ({ c: [{ u: conditionOf(rule) }], s: { v: typed(rule['v'], type) } })),
  };
}

const FIELDS = ['b', 's', 'i', 'd'];

function typed(value: unknown, type: unknown): Given {
  return { [FIELDS[Number(type)] ?? 's']: value };
}

const VERSION_LISTS = [4, 5];
const TEXT_LISTS = [0, 1];

/** Values are text: one, or a list between commas. */
function conditionOf({ a, t: comparator, c }: Given): Given {
  const text = String(c);
  const condition = { a, c: comparator };
  if ([...TEXT_LISTS, ...VERSION_LISTS].includes(Number(comparator)))
    return { ...condition, l: text.split(',').map((value) => value.trim()) };
  return Number(comparator) >= 10 && Number(comparator) <= 15
    ? { ...condition, d: Number.parseFloat(text.replace(',', '.')) }
    : { ...condition, s: text };
}
