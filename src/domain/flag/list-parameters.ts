/** Parameters of strategies that are lists, and the items of them that SDKs can be sent. */
import { parameterText } from '../../schema/strategy.ts';

/** The items that Yggdrasil cannot read, by the name of the list: it would switch the whole flag off (ADR 39). */
const unreadable: Readonly<Record<string, RegExp>> = { userIds: /\\$/, IPs: /["\\]/, hostNames: /["\\]/ };

interface Items {
  readonly served: readonly string[];
  readonly skipped: readonly string[];
}

/** A text counts as a list separated by commas. Undefined if the parameter is no list. */
export function itemsOf(name: string, value: unknown): Items | undefined {
  const pattern = Object.hasOwn(unreadable, name) ? unreadable[name] : undefined;
  if (!pattern) return undefined;
  const text = Array.isArray(value) ? value.map(parameterText).join(',') : parameterText(value);
  const items = text.split(',').flatMap((item) => item.trim() || []);
  const { served = [], skipped = [] } = Object.groupBy(items, (item) => (pattern.test(item) ? 'skipped' : 'served'));
  return { served, skipped };
}
