/** A rule of the architecture, with code that it is run on. */
import type { Finding, Source } from './source.ts';

/** The text of each file by its path. */
export type Files = Readonly<Record<string, string>>;

export interface Rule {
  readonly find: (sources: readonly Source[]) => Finding[];
  /** Files that break the rule, each in one place. */
  readonly breaches: readonly Files[];
  /** Files that look like a breach but are not one. */
  readonly innocent: readonly Files[];
}

/** A file of `src`. */
export const src = (path: string, text: string): Files => ({ [`src/${path}`]: text });
