/** Handles the end of the session: a page with unsaved changes stays. */
import { useEffect, useSyncExternalStore } from 'react';

let drafts = 0;
let isEnded = false;
const listeners = new Set<() => void>();

function set(ended: boolean): void {
  isEnded = ended;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Handles a session that the API has refused: calls `leave`, which opens the page for signing in, unless unsaved
 * changes would be lost.
 */
export function endOfSession(leave: () => void): void {
  if (drafts > 0) set(true);
  else leave();
}

/** Whether the page has changes that are not saved. */
export function hasUnsavedChanges(): boolean {
  return drafts > 0;
}

/** Handles the sign-in of a user, perhaps in another tab. */
export function sessionReturned(): void {
  set(false);
}

/** Returns whether the page stays only for its unsaved changes. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => isEnded);
}

/** Keeps the page while there are changes; the browser asks before the page is closed. */
export function useUnsavedChanges(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    drafts += 1;
    addEventListener('beforeunload', warn);
    return () => {
      drafts -= 1;
      removeEventListener('beforeunload', warn);
    };
  }, [isChanged]);
}
