/** Parameters of strategies that are lists, and the items of them that SDKs can be sent. */
import { parameterText } from '../../model/parameter-text.ts';

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
  const items = listText(value)
    .split(',')
    .flatMap((item) => item.trim() || []);
  const { served = [], skipped = [] } = Object.groupBy(items, (item) => (pattern.test(item) ? 'skipped' : 'served'));
  return { served, skipped };
}

/** The most items that the list can have, and the characters of all of them. */
export function sizeOfList(value: unknown): { readonly items: number; readonly characters: number } {
  const text = listText(value);
  let commas = 0;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', comma + 1)) commas += 1;
  return { items: commas + 1, characters: text.length - commas };
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.map(parameterText).join(',') : parameterText(value);
}
