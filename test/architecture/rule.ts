/** A rule with code that breaks it and code that does not. */
import type { Finding, Source } from './source.ts';

export type Files = Readonly<Record<string, string>>;
export interface Rule {
  readonly find: (sources: readonly Source[]) => Finding[];
  /** Files that break the rule, each in one place. */
  readonly breaches: readonly Files[];
  /** Files that look like a breach but are not one. */
  readonly innocent: readonly Files[];
}

/** One file of `src`. */
export const src = (path: string, text: string): Files => ({ [`src/${path}`]: text });
