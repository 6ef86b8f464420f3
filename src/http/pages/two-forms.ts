/** Bytes of a flag in two forms: the shown one, and one without usage, from which ETags are made. */

import { bytesOf, joined } from '../../model/bytes.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { type ShownUsage, withoutUsage } from '../../wire/admin/flag/feature-usage.ts';
import { share } from '../server/answer/encodings.ts';
import { Representation } from '../server/answer/representation.ts';
import type { FlagUsages } from './flag-usage.ts';

export interface TwoForms {
  /** The same buffer until something other than usage changes. */
  readonly plain: Buffer;
  /** `plain` itself if there is no usage. */
  readonly shown: Buffer;
}

/** Keeps the shown form of each flag until its usage changes. */
type MakeTwoForms = (flag: FeatureFlag, plain: Buffer, present: (usage: ShownUsage) => unknown) => TwoForms;

export function createTwoForms({ versionOf, shown }: Pick<FlagUsages, 'versionOf' | 'shown'>): MakeTwoForms {
  const known = new WeakMap<Buffer, { readonly version: string; readonly bytes: Buffer }>();
  return (flag, plain, present) => {
    const version = versionOf(flag);
    if (version === undefined) return { plain, shown: plain };
    const before = known.get(plain);
    if (before?.version === version) return { plain, shown: before.bytes };
    const bytes = bytesOf(JSON.stringify(present(shown(flag))));
    known.set(plain, { version, bytes });
    return { plain, shown: bytes };
  };
}

export function plainBytes(flag: FeatureFlag, present: (usage: ShownUsage) => unknown): Buffer {
  return bytesOf(JSON.stringify(present(withoutUsage(flag))));
}

/** Changes both forms in the same way. */
export function inBothForms({ plain, shown }: TwoForms, change: (bytes: Buffer) => Buffer): TwoForms {
  const changed = change(plain);
  return { plain: changed, shown: plain === shown ? changed : change(shown) };
}

const tagged = memo((plain: Buffer, _: undefined) => new Representation(plain));

/** The representation of one flag; the same object until one of the forms changes. */
const represented = memo((plain: Buffer, shown: Buffer) => {
  const representation = tagged(plain, undefined);
  return share(plain === shown ? representation : withTagOf(representation, shown));
});

export function representOne({ plain, shown }: TwoForms): Representation {
  return represented(plain, shown);
}

export interface ListFrame {
  readonly head: string;
  /** The head of the shown form, if it differs. */
  readonly shownHead?: string | undefined;
  readonly tail: string;
}

export function plainList({ head, tail }: ListFrame, items: readonly TwoForms[]): Representation {
  const plain = items.map((item) => item.plain);
  return new Representation(joined(head, plain, tail));
}

/** `plain` is the same list in its plain form, if that is known already. */
export function representList(
  frame: ListFrame,
  items: readonly TwoForms[],
  plain: Representation = plainList(frame, items),
): Representation {
  const { head, shownHead = head, tail } = frame;
  if (head === shownHead && items.every((item) => item.plain === item.shown)) return plain;
  const shown = items.map((item) => item.shown);
  return withTagOf(plain, joined(shownHead, shown, tail));
}

/** The text of the list in its shown form, item by item. */
export function* piecesOfList({ head, tail }: ListFrame, items: Iterable<TwoForms>): Generator<string, void> {
  let before = head;
  for (const { shown } of items) {
    yield before + shown.toString();
    before = ',';
  }
  yield before === ',' ? tail : before + tail;
}

function withTagOf({ etag }: Representation, bytes: Buffer): Representation {
  return new Representation(bytes, etag.slice(1, -1));
}
