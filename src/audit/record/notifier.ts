/** Resolves all pending waits at once, like a condition variable. */

export function createNotifier() {
  let waiting: (() => void)[] = [];
  return {
    notified: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
      }),
    notify(): void {
      const resolved = waiting;
      waiting = [];
      for (const resolve of resolved) resolve();
    },
  };
}
