/** The last entry of the history that changed a field. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../model/json.ts';
import type { Entry } from './entry.ts';
import type { AuditEventType } from './event-types.ts';

/** Keys from the spec down. */
type Keys = readonly string[];

/** The entries that may be about a field. */
interface Sign {
  readonly types: readonly AuditEventType[];
  readonly environment?: string;
  readonly subject?: string;
  /** The path of the field in the content of such an entry; absent: every such entry is about the field. */
  readonly at?: Keys;
}

const CREATED: Sign = { types: ['feature-created', 'segment-created'] };

/**
 * `entries` belong to one object, the newest first. Undefined if none of them is about the field, or if one that may be
 * about it has no content. For a switch, the entry at which the spec began or ceased to switch the flag on.
 */
export function lastChangeOf(keys: Keys, entries: readonly Entry[]): Entry | undefined {
  const signs = [CREATED, ...signsOf(keys)];
  const found = entries.find((entry) => signs.some((sign) => mayBe(entry, sign)));
  return found && signs.some((sign) => mayBe(found, sign) && isCertain(found, sign)) ? found : undefined;
}

function signsOf(keys: Keys): readonly Sign[] {
  const [first, environment = '', ...rest] = keys;
  const unnamed: Sign = { types: ['feature-updated'], at: ['spec', ...keys] };
  if (first === 'variants') return [unnamed, { types: ['feature-variants-updated'] }];
  if (first === 'dependencies') return [unnamed, { types: ['feature-dependency-added', 'feature-dependency-removed'] }];
  if (first === 'environments') return [unnamed, ...signsIn(environment, rest)];
  return [unnamed, { types: ['segment-updated'], at: keys }];
}

function signsIn(environment: string, [part, subject = '', ...at]: Keys): readonly Sign[] {
  if (part === 'enabled')
    return [{ types: ['feature-environment-enabled', 'feature-environment-disabled'], environment }];
  if (part === 'variants') return [{ types: ['feature-environment-variants-updated'], environment }];
  if (part === 'activeFrom' || part === 'activeUntil') return [{ types: ['feature-window-updated'], environment }];
  if (part !== 'strategies') return [];
  return [
    { types: ['feature-strategy-add'], environment, subject },
    { types: ['feature-strategy-update'], environment, subject, at },
  ];
}

function mayBe(entry: Entry, sign: Sign): boolean {
  const { types, environment = entry.environment, subject = entry.subject, at } = sign;
  if (!types.includes(entry.type) || environment !== entry.environment || subject !== entry.subject) return false;
  return (
    at === undefined ||
    !isCertain(entry, sign) ||
    !isDeepStrictEqual(valueAt(entry.data, at), valueAt(entry.preData, at))
  );
}

/** The content of an entry is missing if it was too large, and null if the object could not be read. */
function isCertain({ data }: Entry, { at }: Sign): boolean {
  return at === undefined || (data !== null && !('abridged' in data));
}

function valueAt(value: unknown, keys: Keys): unknown {
  return keys.reduce((at: unknown, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}
