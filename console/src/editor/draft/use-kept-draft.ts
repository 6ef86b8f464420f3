/** The draft of a form, which outlives its page: the tab keeps it until the user saves, discards it or signs out. */
import { useState } from 'react';

interface Kept<D> {
  /** The state that the draft started from. */
  readonly before: D;
  readonly draft: D;
}

const kept = new Map<string, unknown>();

export function forgetDrafts(): void {
  kept.clear();
}

export interface KeptDraft<D> extends Kept<D> {
  readonly change: (draft: D) => void;
  readonly discard: () => void;
  readonly forget: () => void;
}

/** All drafts with the same key must have the same type. `first` makes the draft of what is stored. */
export function useKeptDraft<D>(key: string, first: () => D): KeptDraft<D> {
  const [state, setState] = useState(() => (kept.get(key) as Kept<D> | undefined) ?? fresh(first()));
  const forget = () => void kept.delete(key);
  return {
    ...state,
    change(draft) {
      const next = { ...state, draft };
      kept.set(key, next);
      setState(next);
    },
    discard() {
      forget();
      setState(fresh(first()));
    },
    forget,
  };
}

function fresh<D>(before: D): Kept<D> {
  return { before, draft: before };
}
