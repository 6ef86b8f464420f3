/** Counts the Ready flags with its own watch at the API server. */

import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { connect } from '../../../src/kube/api/transport.ts';
import { keyOf, type Ref } from '../../../src/model/object.ts';
import type { ControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { pathOf } from '../contents.ts';
import { NAMESPACES } from './flags.ts';

export interface JudgedFlags {
  /** Resolves when exactly that many flags exist and all are Ready; rejects if the watch breaks. */
  whenReady(count: number): Promise<void>;
  /** Resolves when `count` flags exist and none is Ready. */
  whenUnjudged(count: number): Promise<void>;
  /** Resolves when at least one flag is Ready, so the operator judges. */
  whenAnyReady(): Promise<void>;
  /** Resolves when the status of a flag is about this generation or a later one. */
  whenJudged(ref: Ref, generation: number): Promise<void>;
  close(): void;
}

interface Frame {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name: string;
      readonly namespace: string;
      readonly generation: number;
      readonly resourceVersion: string;
    };
    readonly status?: {
      readonly observedGeneration?: number;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  };
}

export function watchFlags({ kubeconfig }: ControlPlane): JudgedFlags {
  const transport = connect(loadKubeConfig(kubeconfig));
  const ending = new AbortController();
  const present = new Set<string>();
  const ready = new Set<string>();
  /** The generation that the status is about, by namespace/name. */
  const judgedGenerations = new Map<string, number>();
  const looks = new Set<() => void>();
  const lookAgain = () => {
    for (const look of looks) look();
  };

  async function follow(namespace: string): Promise<void> {
    // The API server may end a watch that falls behind at any time.
    for (let resourceVersion = '0'; ; ) {
      const query = { watch: true, resourceVersion, timeoutSeconds: 3600 };
      const frames = await transport.stream({ path: pathOf('featureflags', namespace), query, signal: ending.signal });
      for await (const frame of frames as AsyncIterable<Frame>) {
        if (frame.type === 'ERROR') throw new Error(`the watch of ${namespace}: ${JSON.stringify(frame.object)}`);
        resourceVersion = frame.object.metadata.resourceVersion;
        take(frame);
        lookAgain();
      }
    }
  }

  function take({ type, object }: Frame): void {
    const key = keyOf(object.metadata);
    judgedGenerations.set(key, object.status?.observedGeneration ?? 0);
    if (type === 'DELETED') present.delete(key);
    else present.add(key);
    if (type !== 'DELETED' && isReady(object)) ready.add(key);
    else ready.delete(key);
  }

  const broken = Promise.all(NAMESPACES.map(follow));
  broken.catch(() => undefined);

  function when(holds: () => boolean): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
    return Promise.race([reached, broken.then(() => undefined)]);
  }

  return {
    whenReady: (count) => when(() => present.size === count && ready.size === count),
    whenAnyReady: () => when(() => ready.size > 0),
    whenJudged: (ref, generation) => when(() => (judgedGenerations.get(keyOf(ref)) ?? 0) >= generation),
    whenUnjudged: (count) => when(() => present.size === count && ready.size === 0),
    close() {
      ending.abort(new Error('enough is counted'));
      transport.close();
    },
  };
}

function isReady({ metadata, status }: Frame['object']): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  return condition?.status === 'True' && status?.observedGeneration === metadata.generation;
}
