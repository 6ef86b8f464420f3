/** Compares the chain with heads that it is known to have had: those that somebody noted, and signed ones. */
import type { KeyObject } from 'node:crypto';
import type { ChainPlace } from './chain.ts';
import type { ChainFinding } from './chain-finding.ts';
import { isSignedBy, type SignedHead } from './signed-head.ts';

export interface KnownHeads {
  /** Places that the chain is known to have reached. */
  readonly heads: readonly ChainPlace[];
  /** By their ids; empty: signatures are not verified. */
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
}

export interface HeadCounts {
  /** Heads with a right signature that the chain has. */
  readonly signedHeads: number;
  /** The last of them. */
  readonly signed: SignedHead | undefined;
  /** Heads before the first link that is kept: they say nothing any more. */
  readonly olderHeads: number;
}

export interface HeadVerifier {
  /** Before the links. */
  accept(head: SignedHead): void;
  /** For each link. */
  reach(place: ChainPlace): void;
  end(start: ChainPlace, last: ChainPlace): void;
  readonly counts: HeadCounts;
}

interface NamedHead extends ChainPlace {
  /** How a message calls it. */
  readonly words: string;
  /** Undefined: no signature was verified. */
  readonly signed: SignedHead | undefined;
}

export function createHeadVerifier(
  { heads, publicKeys }: KnownHeads,
  find: (finding: ChainFinding) => void,
): HeadVerifier {
  const named = heads.map((head) => ({ ...head, words: 'the head that you named', signed: undefined }));
  const known = new Map<number, NamedHead[]>(Map.groupBy(named, ({ n }) => n));
  const counts: { -readonly [Name in keyof HeadCounts]: HeadCounts[Name] } = {
    ...{ signedHeads: 0, signed: undefined, olderHeads: 0 },
  };

  function compare(place: ChainPlace): void {
    for (const { n, link, words, signed } of known.get(place.n) ?? []) {
      if (link !== place.link) {
        find({ problem: 'head-not-reached', n, message: `link ${n} is another one than ${words}` });
      } else if (signed !== undefined) {
        counts.signedHeads += 1;
        counts.signed = signed;
      }
    }
    known.delete(place.n);
  }

  return {
    counts,
    accept(head) {
      const wrong = wrongSignature(publicKeys, head);
      if (wrong !== undefined) {
        find(wrong);
        return;
      }
      const words = `the head of ${timeOf(head)} that key ${head.key} has signed`;
      const others = known.get(head.n) ?? [];
      known.set(head.n, [...others, { ...head, words, signed: publicKeys.size > 0 ? head : undefined }]);
    },
    reach: compare,
    end(start, last) {
      compare(start);
      const rest = [...known.values()].flat();
      counts.olderHeads = rest.filter(({ n }) => n < start.n).length;
      for (const { n, words } of rest.filter((head) => head.n > last.n)) {
        const message = `the chain ends at link ${last.n}, and had reached link ${n}, ${words}: its end was cut off`;
        find({ problem: 'head-not-reached', n, message });
      }
      if (publicKeys.size === 0 || counts.signedHeads > 0) return;
      const message = 'no head of this chain is signed with a key that you gave';
      find({ problem: 'not-signed', n: undefined, message });
    },
  };
}

function wrongSignature(publicKeys: KnownHeads['publicKeys'], head: SignedHead): ChainFinding | undefined {
  const { n, key } = head;
  if (publicKeys.size === 0) return undefined;
  const publicKey = publicKeys.get(key);
  if (publicKey === undefined) {
    const message = `the head at link ${n} of ${timeOf(head)} is signed with key ${key}, which you did not give`;
    return { problem: 'key-unknown', n, message };
  }
  if (isSignedBy(publicKey, head)) return undefined;
  const message = `the signature of the head at link ${n} of ${timeOf(head)} is not that of key ${key}`;
  return { problem: 'signature-wrong', n, message };
}

function timeOf({ at }: SignedHead): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? 'an unknown time' : time.toISOString();
}
