/** Counts the flags that are Ready, by a watch of its own on the API server. */

import { loadKubeConfig } from '../../../src/kube/kubeconfig.ts';
import { connect } from '../../../src/kube/transport.ts';
import type { ControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { pathOf } from '../contents.ts';
import { NAMESPACES } from './flags.ts';

export interface JudgedFlags {
  /** Resolves when exactly so many flags are there and all of them are Ready; rejects when the watch breaks. */
  whenReady(count: number): Promise<void>;
  /** Resolves when none is Ready any more, with `count` there. */
  whenUnjudged(count: number): Promise<void>;
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
  let look: () => void = () => undefined;

  async function follow(namespace: string): Promise<void> {
    // The API server may end a watch that falls behind at any time.
    for (let resourceVersion = '0'; ; ) {
      const query = { watch: true, resourceVersion, timeoutSeconds: 3600 };
      const frames = await transport.stream({ path: pathOf('featureflags', namespace), query, signal: ending.signal });
      for await (const frame of frames as AsyncIterable<Frame>) {
        if (frame.type === 'ERROR') throw new Error(`the watch of ${namespace}: ${JSON.stringify(frame.object)}`);
        resourceVersion = frame.object.metadata.resourceVersion;
        take(frame);
        look();
      }
    }
  }

  function take({ type, object }: Frame): void {
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    if (type === 'DELETED') present.delete(key);
    else present.add(key);
    if (type !== 'DELETED' && isReady(object)) ready.add(key);
    else ready.delete(key);
  }

  const broken = Promise.all(NAMESPACES.map(follow));
  broken.catch(() => undefined);

  function when(holds: () => boolean): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      look = () => {
        if (holds()) resolve();
      };
      look();
    });
    return Promise.race([reached, broken.then(() => undefined)]);
  }

  return {
    whenReady: (count) => when(() => present.size === count && ready.size === count),
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
