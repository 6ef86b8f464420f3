/** Processor time of work that blocks: what other processes do on the machine does not count. */

/** Linux may count the time of a thread in whole ticks of its clock, of at most 10 ms. */
const TICK_MS = 10;

/**
 * The least processor ms of several repetitions. Long work counts on its own thread only, because the collection of
 * garbage and the compilation of code have threads of their own.
 */
export function cpuMsOf(work: () => unknown, times = 3): number {
  const each = Array.from({ length: times }, () => {
    const ofThread = process.threadCpuUsage();
    const ofProcess = process.cpuUsage();
    work();
    const processMs = totalMs(process.cpuUsage(ofProcess));
    return Math.min(processMs, totalMs(process.threadCpuUsage(ofThread)) + TICK_MS);
  });
  return Math.min(...each);
}

const totalMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
