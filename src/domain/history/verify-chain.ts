/** Verifies the chain of the history, line by line, in memory that grows with amended rows alone, up to a bound. */
import { hash } from 'node:crypto';
import { canonicalJson, isRecord, type JsonObject } from '../../model/json.ts';
import {
  type AmendedRow,
  type AmendmentContent,
  type ChainLink,
  type ChainPlace,
  digestOfAmended,
  digestOfText,
  linkAfter,
  type RetentionContent,
  type RowKind,
  saltedDigest,
} from './chain.ts';
import type { ChainFinding } from './chain-finding.ts';
import type { SignedHead } from './signed-head.ts';
import { createHeadVerifier, type HeadCounts, type HeadVerifier, type KnownHeads } from './verify-heads.ts';

/** A link with the row that it commits, as it is now. */
export interface LinkLine extends ChainLink {
  readonly line: 'link';
  /** Null: the row is gone, or the link is about no single row. */
  readonly row: JsonObject | null;
  /** What a version says; null: it says nothing, or it cannot be read. */
  readonly says: unknown;
  /** The newest amendment of the row. */
  readonly amended: (Pick<AmendedRow, 'salt' | 'digest'> & { readonly n: number }) | null;
  /** The rows that a link of the kind `amendment` commits. */
  readonly rows: readonly AmendedRow[] | null;
}

export type ChainLine =
  /** Where the chain begins, and from which time on rows must be there. The chain itself states both. */
  | { readonly line: 'start'; readonly n: number; readonly link: string; readonly before: number }
  /** Before the links. */
  | ({ readonly line: 'head' } & SignedHead)
  | LinkLine
  /** A row that claims to be linked and is not. */
  | { readonly line: 'stray'; readonly kind: RowKind; readonly ref: number; readonly row: JsonObject }
  | {
      readonly line: 'end';
      readonly n: number;
      readonly link: string;
      readonly waiting: number;
      /** Retention or an amendment has changed the chain while it was read, so findings may be false. */
      readonly moved: boolean;
    };

/** Whether the value says which line it is. The verifier judges the rest of it. */
export function isChainLine(value: unknown): value is ChainLine {
  return isRecord(value) && typeof value['line'] === 'string';
}

export interface ChainVerdict extends HeadCounts {
  /** The first findings; `found` is the number of all. */
  readonly findings: readonly ChainFinding[];
  readonly found: number;
  readonly links: number;
  readonly amended: number;
  readonly gone: number;
  readonly waiting: number;
  readonly last: ChainPlace | undefined;
  /** The chain has changed while it was read, so findings may be false. */
  readonly moved: boolean;
}

export interface ChainVerifier {
  /** Throws if a line has another form, or if too many amendments are missing. */
  accept(line: ChainLine): void;
  /** After the last line. */
  end(): ChainVerdict;
}

const MAX_FINDINGS = 20;

interface ChainState {
  readonly heads: HeadVerifier;
  readonly findings: ChainFinding[];
  /** What amended rows claim, until the link of their amendment is reached. */
  readonly claims: Map<string, { readonly n: number; readonly digest: string }>;
  readonly counts: { found: number; links: number; amended: number; gone: number; waiting: number };
  start: ChainPlace | undefined;
  last: ChainPlace | undefined;
  edge: number;
  readonly isExport: boolean;
  readonly maxClaims: number;
  stated: RetentionContent | undefined;
  isEnded: boolean;
  moved: boolean;
}

export interface ChainVerifierParts extends Partial<KnownHeads> {
  /**
   * The lines are an export: what retention drops later is still there, and amendments may be exported later than the
   * rows that name them.
   */
  readonly isExport?: boolean;
  /** The most amended rows whose amendment has not come yet. */
  readonly maxClaims?: number;
}

const MAX_CLAIMS = 1_000_000;

export function createChainVerifier(parts: ChainVerifierParts = {}): ChainVerifier {
  const { heads = [], publicKeys = new Map(), isExport = false, maxClaims = MAX_CLAIMS } = parts;
  const state: ChainState = {
    heads: createHeadVerifier({ heads, publicKeys }, (finding) => find(state, finding)),
    ...{ findings: [], claims: new Map(), edge: 0, isExport, maxClaims, isEnded: false, moved: false },
    counts: { found: 0, links: 0, amended: 0, gone: 0, waiting: 0 },
    ...{ start: undefined, last: undefined, stated: undefined },
  };
  return {
    accept: (line) => acceptLine(state, line),
    end() {
      checkEnd(state);
      const { findings, counts, last, moved } = state;
      return { findings, ...counts, ...state.heads.counts, last, moved };
    },
  };
}

function find({ counts, findings }: ChainState, finding: ChainFinding): void {
  counts.found += 1;
  if (findings.length < MAX_FINDINGS) findings.push(finding);
}

function acceptLine(state: ChainState, line: ChainLine): void {
  switch (line.line) {
    case 'start':
      state.start = { n: line.n, link: line.link };
      state.last = state.start;
      state.edge = line.before;
      return;
    case 'head':
      state.heads.accept(line);
      return;
    case 'link':
      acceptLink(state, line);
      return;
    case 'stray': {
      const message = `${rowWords(line.kind, line.ref, line.row)} was inserted: no link commits it`;
      find(state, { problem: 'inserted', n: undefined, message });
      return;
    }
    case 'end':
      acceptEnd(state, line);
  }
}

function acceptLink(state: ChainState, line: LinkLine): void {
  const { n } = line;
  state.counts.links += 1;
  const wrong = wrongPlace(state.last, line);
  if (wrong !== undefined) find(state, wrong);
  state.last = { n, link: line.link };
  state.heads.reach(line);
  if (line.kind === 'retention' || line.kind === 'amendment') acceptStatement(state, line);
  else acceptRow(state, line);
}

function wrongPlace(last: ChainPlace | undefined, line: LinkLine): ChainFinding | undefined {
  if (last === undefined) return undefined;
  const next = last.n + 1;
  if (line.n !== next) {
    return { problem: 'link-missing', n: next, message: `links ${next} to ${line.n - 1} are missing` };
  }
  if (linkAfter(last, line) === line.link) return undefined;
  const message = `link ${next} does not follow from the one before: ${placeOf(line)}`;
  return { problem: 'link-broken', n: next, message };
}

function acceptRow(state: ChainState, line: LinkLine): void {
  const { n, kind, ref, row, at, amended } = line;
  if (row === null) {
    state.counts.gone += 1;
    if (at >= state.edge) find(state, { problem: 'missing', n, message: `${placeOf(line)} is missing` });
    return;
  }
  if (amended !== null) {
    state.counts.amended += 1;
    if (state.claims.size >= state.maxClaims)
      throw new Error(`more than ${state.maxClaims} rows wait for their amendment`);
    state.claims.set(`${kind} ${ref}`, { n: amended.n, digest: amended.digest });
  }
  if (!isAsCommitted(line)) find(state, { problem: 'altered', n, message: `${placeOf(line)} was altered` });
}

function acceptStatement(state: ChainState, line: LinkLine): void {
  const { n, kind, salt, digest, content } = line;
  if (salt === null || content === null || digestOfText(salt, content) !== digest) {
    find(state, { problem: 'altered', n, message: `the statement of link ${n} (${kind}) was altered` });
  } else if (kind === 'retention') {
    state.stated = JSON.parse(content) as RetentionContent;
  } else {
    acceptAmendment(state, line, JSON.parse(content) as AmendmentContent);
  }
}

function acceptAmendment(state: ChainState, line: LinkLine, { rows, digest }: AmendmentContent): void {
  const { n } = line;
  const list = line.rows ?? [];
  if (rows !== list.length || digestOfAmended(list) !== digest) {
    const message = `the rows of amendment ${n} are not those that it commits`;
    find(state, { problem: 'amendment-broken', n, message });
  }
  for (const { kind, ref, digest: committed } of list) {
    const claim = state.claims.get(`${kind} ${ref}`);
    if (claim?.n !== n || claim.digest !== committed) continue;
    state.claims.delete(`${kind} ${ref}`);
  }
}

function acceptEnd(state: ChainState, { n, link, waiting, moved }: Extract<ChainLine, { line: 'end' }>): void {
  state.isEnded = true;
  state.moved = moved;
  state.counts.waiting = waiting;
  const { last } = state;
  if (last === undefined || (last.n === n && last.link === link)) return;
  const message = `the chain ends at link ${last.n}, and its last link was ${n}`;
  find(state, { problem: 'cut-off', n: last.n, message });
}

function checkEnd(state: ChainState): void {
  const { claims, start, last, isEnded, isExport, heads } = state;
  for (const [row, { n }] of claims) {
    if (isExport && n > (last?.n ?? 0)) continue;
    find(state, { problem: 'altered', n, message: `${row} names amendment ${n}, which does not commit it` });
  }
  if (start === undefined || last === undefined || !isEnded) {
    find(state, { problem: 'cut-off', n: last?.n, message: 'the chain ends before its last line' });
    return;
  }
  if (!isExport && !isStated(start, state)) {
    const message = `the chain begins after link ${start.n}, and no link states that`;
    find(state, { problem: 'retention-not-stated', n: undefined, message });
  }
  heads.end(start, last);
}

function isStated(start: ChainPlace, { edge, stated }: Pick<ChainState, 'edge' | 'stated'>): boolean {
  if (stated === undefined) return start.n === 0 && edge === 0;
  return stated.from === start.n + 1 && stated.previous === start.link && stated.before === edge;
}

function isAsCommitted({ kind, ref, at, salt, digest, row, says, amended }: LinkLine): boolean {
  if (row === null || row['id'] !== ref) return false;
  if (kind === 'version' && !saysAsCommitted(row['says'], says)) return false;
  if (amended !== null) return saltedDigest(amended.salt, row) === amended.digest;
  if (row[kind === 'entry' ? 'created_at' : 'from_at'] !== at) return false;
  return salt !== null && saltedDigest(salt, row) === digest;
}

function saysAsCommitted(digest: unknown, says: unknown): boolean {
  if (digest === undefined) return says === null;
  return says !== null && hash('sha256', canonicalJson(says)) === digest;
}

function placeOf({ kind, ref, at, row }: LinkLine): string {
  return row === null ? `${kind} ${ref} of ${new Date(at).toISOString()}` : rowWords(kind, ref, row);
}

function rowWords(kind: string, ref: number, row: JsonObject): string {
  const { type, resource, namespace, object, name, created_at, from_at } = row;
  const at = new Date(Number(created_at ?? from_at));
  const time = Number.isNaN(at.getTime()) ? 'an unknown time' : at.toISOString();
  return `${kind} ${ref} (${type === undefined ? '' : `${type}, `}${resource} ${namespace}/${object ?? name}) of ${time}`;
}
