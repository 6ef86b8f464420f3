/** A replica within the memory limit of a container, as the chart runs it. */
import { waitUntil } from './control-plane/wait-until.ts';
import { type Replica, startReplica } from './replica.ts';
import { withMemoryLimit } from './with-memory-limit.ts';

/** The limit of the chart. */
export const MAX_MEMORY_BYTES = 768 * 2 ** 20;

/** Resolves when it leads. */
export async function startLimitedReplica(place: {
  readonly kubeconfig: string;
  readonly home: string;
}): Promise<{ readonly replica: Replica; readonly stop: () => Promise<void> }> {
  const undo: (() => unknown)[] = [];
  // Node.js chooses the size of its heap by the limit of the container.
  const { node, nodeOptions } = await withMemoryLimit(MAX_MEMORY_BYTES / 2 ** 20, (step) => undo.push(step));
  const settings = { MALLOC_ARENA_MAX: '2' };
  const replica = await startReplica({ ...place, settings, nodeOptions, ...(node !== undefined && { node }) });
  await waitUntil({ what: 'the replica leads' }, () => replica.leads());
  const stop = async () => {
    await replica.stop();
    for (const step of undo.reverse()) await step();
  };
  return { replica, stop };
}
