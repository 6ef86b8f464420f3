/** Runs a program within the memory limit of a container. */
import { nodeWithin } from '../perf/memory-limit.ts';

interface LittleMemory {
  /** The program that runs it; if undefined, the Node.js of this process. */
  readonly node: string | undefined;
  readonly nodeOptions: readonly string[];
}

/**
 * Uses a control group, as the kubelet does, if this user may create one. Otherwise it only limits the heap to what
 * Node.js takes in such a group, which is half of the limit; the test must then check the total memory.
 */
export async function withMemoryLimit(
  mebibytes: number,
  undoLater: (undo: () => unknown) => void,
): Promise<LittleMemory> {
  try {
    return { node: await nodeWithin(mebibytes, undoLater), nodeOptions: [] };
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    return { node: undefined, nodeOptions: [`--max-old-space-size=${mebibytes / 2}`] };
  }
}
