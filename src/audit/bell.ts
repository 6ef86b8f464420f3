/** Wakes whoever waits for it. */

export function createBell() {
  let waiting: (() => void)[] = [];
  return {
    rung: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
      }),
    ring(): void {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}
