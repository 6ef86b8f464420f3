/** The interface of the signed heads of the chain. */
import type { ChainPlace } from '../../../domain/history/chain.ts';
import type { SignedHead } from '../../../domain/history/signed-head.ts';

export interface HeadState {
  /** Where the chain ends. */
  readonly last: ChainPlace;
  /** The newest signed head. */
  readonly signed: SignedHead | undefined;
  /** A head that the chain once had and has no more; undefined: it has all that were asked for. */
  readonly lost: ChainPlace | undefined;
}

export interface HeadPage {
  /** The number of the last head of the page before. */
  readonly after: number;
  readonly limit: number;
}

/** The methods reject as those of the archive do. */
export interface HeadStore {
  /** Compares the chain with its newest signed head, and with a head that the caller remembers. */
  state(remembered: ChainPlace | undefined): Promise<HeadState>;
  store(head: SignedHead): Promise<void>;
  /** The oldest heads that are not published yet. */
  unpublished(limit: number): Promise<readonly SignedHead[]>;
  settle(head: SignedHead): Promise<void>;
  /** By their numbers. */
  list(page: HeadPage, signal: AbortSignal): Promise<readonly SignedHead[]>;
}
