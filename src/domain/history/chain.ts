/** The hash chain over the history: what a link commits, and the rule by which links follow each other. */
import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject, readJson, recordOf } from '../../model/json.ts';

/**
 * `entry`, `version`: a row of the history. `retention`: what may be gone from now on. `amendment`: rows that were
 * rewritten on purpose.
 */
export type LinkKind = 'entry' | 'version' | 'retention' | 'amendment';

/** The rows that links commit. */
export type RowKind = 'entry' | 'version';

export interface ChainPlace {
  /** The number of the last link; 0: there is none. */
  readonly n: number;
  readonly link: string;
}

/** What a link says, without its number and its place in the chain. */
export interface NewLink {
  readonly kind: LinkKind;
  /** The id of the row; 0: the link is about no single row. */
  readonly ref: number;
  /** Ms since 1970: when the entry was created, the version came into force, or the link was made. */
  readonly at: number;
  /** Random, so that the digest of a content that was erased says nothing; null: the row was amended. */
  readonly salt: string | null;
  readonly digest: string;
  /** The content of a link that is about no single row, as canonical JSON. */
  readonly content: string | null;
}

export interface ChainLink extends NewLink, ChainPlace {}

/** Before the first link. */
export const CHAIN_START: ChainPlace = { n: 0, link: '0'.repeat(64) };

/** The digest of a content, which is the same for equal contents. */
export function saltedDigest(salt: string, content: JsonObject): string {
  return digestOfText(salt, canonicalJson(content));
}

export function digestOfText(salt: string, text: string): string {
  return hash('sha256', salt + text);
}

/** The salt is not part of it, so that it can be deleted. */
export function linkAfter({ link, n }: ChainPlace, { kind, ref, at, digest }: NewLink): string {
  return hash('sha256', [link, n + 1, kind, ref, at, digest].join('\n'));
}

export function nextLink(last: ChainPlace, given: NewLink): ChainLink {
  return { ...given, n: last.n + 1, link: linkAfter(last, given) };
}

export function chained(last: ChainPlace, links: readonly NewLink[]): readonly ChainLink[] {
  let previous = last;
  return links.map((given) => {
    const next = nextLink(previous, given);
    previous = next;
    return next;
  });
}

/** What a link of the kind `retention` says. */
export interface RetentionContent {
  /** Entries and versions from before this time may be gone; ms since 1970. */
  readonly before: number;
  /** The first link that is kept. */
  readonly from: number;
  /** The link before that. */
  readonly previous: string;
}

/** Undefined for a text that Vexil did not write. */
export function retentionIn(text: string): RetentionContent | undefined {
  const { before, from, previous } = recordOf(readJson(text));
  const isWhole = typeof before === 'number' && typeof from === 'number' && typeof previous === 'string';
  return isWhole ? { before, from, previous } : undefined;
}

/** A row after it was rewritten on purpose. */
export interface AmendedRow {
  readonly kind: RowKind;
  readonly ref: number;
  readonly salt: string;
  readonly digest: string;
}

/** What a link of the kind `amendment` says. */
export interface AmendmentContent {
  readonly reason: string;
  /** The number of rows, and the digest of their list. */
  readonly rows: number;
  readonly digest: string;
}

/** The order of the rows does not matter. */
export function digestOfAmended(rows: readonly AmendedRow[]): string {
  const lines = rows.map(({ kind, ref, digest }) => [kind, ref, digest].join(' '));
  return hash('sha256', lines.sort().join('\n'));
}
