/** Sends signals to the processes of a pod, unnoticed by Kubernetes. */

import type { Pod } from './cluster.ts';
import { chooseProvider } from './provider/choose-provider.ts';
import { STATE } from './stage.ts';

/** Sends the signal to every process in the control groups of a container, and prints their number. */
const SCRIPT = `count=0
for file in $(grep -ls "$1" /proc/[0-9]*/cgroup); do
  pid=\${file#/proc/}
  kill -s "$2" "\${pid%/cgroup}" && count=$((count + 1))
done
echo $count`;

/** Throws if the container has no process. */
export async function signalPod({ name, containerId }: Pod, signal: 'STOP' | 'CONT' | 'KILL'): Promise<void> {
  const [, id = ''] = containerId.split('://');
  if (id === '') throw new Error(`the pod ${name} has no container yet`);
  const node = chooseProvider(process.env, STATE);
  const { code, stdout, stderr } = await node.onNode(['sh', '-c', SCRIPT, 'signal-pod', id, signal]);
  if (code !== 0 || Number(stdout) === 0) {
    throw new Error(`no process of the pod ${name} got the signal ${signal}: ${stdout}${stderr}`);
  }
}
