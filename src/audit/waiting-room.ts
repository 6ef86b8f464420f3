/** The room for all that watches have told and nobody has recorded: when it is full their readers wait. */
import { createBell } from './bell.ts';

export interface WaitingRoom {
  /** In characters. */
  enter(size: number): void;
  leave(size: number): void;
  /** Undefined: there is room; else ends when half of it is free. */
  pace(): Promise<void> | undefined;
}

/** Characters of objects that may wait, of all kinds and namespaces together. */
const MOST_WAITING = 32 * 1024 * 1024;

/** The signal ends all waiting. */
export function createWaitingRoom(signal: AbortSignal, most = MOST_WAITING): WaitingRoom {
  let size = 0;
  const drained = createBell();
  signal.addEventListener('abort', drained.ring, { once: true });
  return {
    enter(added) {
      size += added;
    },
    leave(removed) {
      size -= removed;
      if (size <= most / 2) drained.ring();
    },
    pace: () => (size > most && !signal.aborted ? drained.rung() : undefined),
  };
}
