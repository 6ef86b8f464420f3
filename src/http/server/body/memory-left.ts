/** The bodies that can be read with the memory that is left. With a larger one, the kernel would kill the operator. */
import type { Refusal } from '../../../errors.ts';
import { bodyTooLarge } from './count-values.ts';

/**
 * What reading and planning an import take for each byte, measured: the bytes twice until they are in one piece, the
 * rows on their way from the thread, then as objects. YAML is also parsed as a whole, within the heap of its thread.
 */
const MEMORY_PER_BYTE = 5;
export const MIB = 2 ** 20;

export interface Memory {
  /** The limit of the container, in bytes. Without one it is huge, or 0 if that is not known. */
  readonly limit: number;
  /** The memory of the process in bytes, without files, which the kernel can drop. */
  readonly used: number;
}

/** In bytes. */
export function memoryLeft({ limit, used }: Memory): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
}

/** The length of the largest body, in bytes, that can be read with this memory. */
export function readableWithin(left: number): number {
  return Math.floor(left / MEMORY_PER_BYTE);
}

export function beyondMemory(left: number): Refusal {
  return bodyTooLarge(
    `The container has ${Math.floor(left / MIB)} MiB of memory left, which is enough to read a body of ${Math.floor(readableWithin(left) / MIB)} MiB. Send this one in parts, or raise the memory limit of the container.`,
  );
}
