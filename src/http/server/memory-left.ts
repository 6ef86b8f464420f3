/** Refuses bodies that would take more memory than the container has left: the kernel would kill the operator. */
import { Refusal } from '../../errors.ts';

/** What reading a state document takes, measured: the bytes twice until they are in one piece, the text, the values. */
const MEMORY_PER_BYTE = 5;
const MIB = 2 ** 20;

export interface Memory {
  /** The limit of the container, in bytes. Without one it is huge, or 0 if that is not known. */
  readonly limit: number;
  /** The memory of the process in bytes, without files, which the kernel can drop. */
  readonly used: number;
}

/** Returns the bytes that are left. Throws `too-large` if that is too little for a body of `length` bytes. */
export function refuseBeyondMemory(length: number, { limit, used }: Memory): number {
  const needed = MEMORY_PER_BYTE * length;
  const left = limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
  if (needed <= left) return left;
  const message = `The body has ${Math.ceil(length / MIB)} MiB, and an import takes about ${Math.ceil(needed / MIB)} MiB of memory to read it, but the container has ${Math.floor(left / MIB)} MiB left. Send it in parts, or raise the memory limit of the container.`;
  throw new Refusal('too-large', message, { details: [{ part: 'body', keys: [], message }] });
}
