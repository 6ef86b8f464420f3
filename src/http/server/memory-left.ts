/** Refuses bodies that would take more memory than the container has left: the kernel would kill the operator. */
import { Refusal } from '../../errors.ts';

/** What reading a state document takes, measured: the bytes twice until they are in one piece, the text, the values. */
const MEMORY_PER_BYTE = 5;
const MIB = 2 ** 20;

export interface Memory {
  /** The limit of the container, in bytes. Without one it is huge, or 0 if that is not known. */
  readonly limit: number;
  /** The resident memory of the process, in bytes. */
  readonly resident: number;
}

/** `length` in bytes. Throws `too-large`. */
export function refuseBeyondMemory(length: number, { limit, resident }: Memory): void {
  const needed = MEMORY_PER_BYTE * length;
  if (limit === 0 || resident + needed <= limit) return;
  const left = Math.max(0, Math.floor((limit - resident) / MIB));
  const message = `The body has ${Math.ceil(length / MIB)} MiB, and an import takes about ${Math.ceil(needed / MIB)} MiB of memory to read it, but the container has ${left} MiB left. Send it in parts, or raise the memory limit of the container.`;
  throw new Refusal('too-large', message, { details: [{ part: 'body', keys: [], message }] });
}
