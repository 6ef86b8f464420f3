/** Runs a program within the memory of a container. */
import { nodeWithin } from '../perf/memory-limit.ts';

interface LittleMemory {
  /** What runs it; undefined: the Node.js that runs this. */
  readonly node: string | undefined;
  readonly nodeOptions: readonly string[];
}

/**
 * In a control group, as the kubelet does, where this user may make one. Elsewhere with the heap that Node.js takes in
 * such a group, which is half of the limit; the whole is then for the test to look at.
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
