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

/** What the yardstick takes on a quiet processor of the kind that the limits of the tests were set for. */
const YARDSTICK_MS = 25;

/**
 * The processor ms that the work would take on a quiet processor: a processor that other work shares takes several
 * times as long, for this work and for a yardstick alike, so both are measured in turn.
 */
export function quietMsOf(work: () => unknown, times = 3): number {
  const each = Array.from({ length: times }, () => {
    const before = cpuMsOf(yardstick, 1);
    const ms = cpuMsOf(work, 1);
    return (ms / Math.max(before, cpuMsOf(yardstick, 1))) * YARDSTICK_MS;
  });
  return Math.min(...each);
}

/** How many times as long as on that quiet processor work takes at present: at least 1. */
export function slownessOfProcessor(): number {
  return Math.max(1, cpuMsOf(yardstick) / YARDSTICK_MS);
}

/** Texts, maps and numbers, as judging and evaluation use them. */
function yardstick(): number {
  const places = new Map<string, number>();
  for (let index = 0; index < 100_000; index += 1) places.set(`u${index}`, index);
  let sum = 0;
  for (const [text, place] of places) sum += text.length * place;
  return sum;
}
