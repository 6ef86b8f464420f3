/** What a process takes of the machine, as Linux counts it. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface Footprint {
  /** User and system time since its start. */
  readonly cpuSeconds: number;
  readonly residentMb: number;
  /** The most it ever had. */
  readonly peakMb: number;
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export async function footprintOf(pid: number): Promise<Footprint> {
  const [stat, status] = await Promise.all([read(pid, 'stat'), read(pid, 'status')]);
  // After the name in parentheses, which may hold blanks: utime and stime are the 12th and 13th field.
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
