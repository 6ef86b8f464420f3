/** Resolves all pending waits at once, like a condition variable. */

interface Notifier {
  /** Resolves at the next `notify`. */
  notified(): Promise<void>;
  notify(): void;
}

export function createNotifier(): Notifier {
  let waiting: (() => void)[] = [];
  return {
    notified: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
      }),
    notify() {
      const resolved = waiting;
      waiting = [];
      for (const resolve of resolved) resolve();
    },
  };
}
