/** The parameters of a strategy as SDKs read them: texts, and none missing that an SDK needs. */
import type { Strategy } from '../../schema/strategy.ts';
import { isQuotable } from './quotable.ts';

type Parameters = Readonly<Record<string, string>>;

/** Percentages: SDKs count whole ones only, and Yggdrasil switches the flag off for any other. */
const PERCENTAGES = ['rollout', 'percentage'];

/** By the list, which of its items Yggdrasil cannot read: it would switch the whole flag off. */
const LISTS: Readonly<Record<string, RegExp>> = { userIds: /\\$/, IPs: /["\\]/, hostNames: /["\\]/ };

/** What a strategy gets where it says nothing. */
export interface StickyDefaults {
  /** The name of the flag. */
  readonly groupId: string;
  /** That of its variants; undefined: it has none. */
  readonly stickiness: string | undefined;
}

/** Undefined: Yggdrasil would switch the whole flag off (ADR 39). */
export function presentParameters(strategy: Strategy, sticky: StickyDefaults): Parameters | undefined {
  const defaults = defaultsOf(strategy.name, sticky);
  const given = Object.entries(strategy.parameters ?? {})
    .filter(([name, value]) => value !== null || !Object.hasOwn(defaults, name))
    .map(([name, value]) => [name, textOf(name, value)]);
  const parameters: Parameters = { ...defaults, ...Object.fromEntries(given) };
  const { groupId = '', stickiness } = parameters;
  if (!isQuotable(groupId) || !isQuotable(stickiness ?? '')) return undefined;
  return stickiness === '' ? { ...parameters, stickiness: 'default' } : parameters;
}

/** Without these, SDKs select different users, or fail. A rollout that is absent selects no user. */
function defaultsOf(type: string, { groupId, stickiness }: StickyDefaults): Parameters {
  if (type === 'flexibleRollout') return { rollout: '0', groupId, stickiness: 'default' };
  if (type.startsWith('gradualRollout')) return { percentage: '0', groupId, stickiness: stickiness ?? 'default' };
  return stickiness === undefined ? {} : { groupId, stickiness };
}

function textOf(name: string, value: unknown): string {
  const unreadable = LISTS[name];
  if (unreadable)
    return itemsOf(value)
      .filter((item) => !unreadable.test(item))
      .join(',');
  if (PERCENTAGES.includes(name)) return wholePercentage(value);
  return plainText(value);
}

function itemsOf(value: unknown): readonly string[] {
  const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  return text.split(',').flatMap((item) => item.trim() || []);
}

function wholePercentage(value: unknown): string {
  const number = Math.floor(Number(plainText(value)));
  return `${Math.min(100, Math.max(0, Number.isFinite(number) ? number : 0))}`;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
