/** Processor time of work that blocks: what other processes do on the machine does not count. */

/** The least processor ms of several repetitions. */
export function cpuMsOf(work: () => unknown, times = 3): number {
  const each = Array.from({ length: times }, () => {
    // `process.threadCpuUsage` counts whole ms only.
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  });
  return Math.min(...each);
}
