/** The resources that a process uses, as Linux counts them. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface Footprint {
  /** User and system time since the start of the process. */
  readonly cpuSeconds: number;
  readonly residentMb: number;
  /** The highest resident memory of the process. */
  readonly peakMb: number;
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export async function footprintOf(pid: number): Promise<Footprint> {
  const [stat, status] = await Promise.all([read(pid, 'stat'), read(pid, 'status')]);
  // The fields after the name in parentheses, which may contain blanks: utime and stime are the 12th and 13th of them.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    cpuSeconds: ticks / TICKS_PER_SECOND,
    residentMb: kilobytes(status, 'VmRSS') / 1024,
    peakMb: kilobytes(status, 'VmHWM') / 1024,
  };
}

function read(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8');
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}
