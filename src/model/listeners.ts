/** Functions that are called one after the other, each even if another one throws. */

export interface Listeners<A extends readonly unknown[]> {
  /** Returns the function that removes the listener. A function that is added twice is called twice. */
  readonly add: (listener: (...args: A) => void) => () => void;
  /** Calls the listeners in the order in which they were added. What one of them throws goes to `onFault`. */
  readonly call: (...args: A) => void;
}

/** The only way to call listeners: a loop of its own ends with the first listener that throws. */
export function createListeners<A extends readonly unknown[] = []>(onFault: (error: unknown) => void): Listeners<A> {
  const listeners = new Set<{ readonly receive: (...args: A) => void }>();
  return {
    add(receive) {
      // Wrapped, so that a function can be added twice.
      const listener = { receive };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call(...args) {
      for (const { receive } of listeners) {
        try {
          receive(...args);
        } catch (error) {
          onFault(error);
        }
      }
    },
  };
}

/** Throws where nothing catches it, which ends the process: for errors that are bugs. */
export function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
