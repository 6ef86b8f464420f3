/** A cluster with a real kubelet, from wherever it comes. */
import type { Finished } from '../../support/control-plane/run-program.ts';
import type { ImagePlan } from '../image/read-dockerfile.ts';

/** A port of the node, and the port of 127.0.0.1 that leads to it. */
export interface EntryPoint {
  readonly nodePort: number;
  readonly port: number;
}

/** Plain values, so that they can be handed to another process. */
export interface ClusterPlace {
  /** Of a cluster administrator. */
  readonly kubeconfig: string;
  /** The path of the program. */
  readonly kubectl: string;
  readonly entryPoints: readonly EntryPoint[];
}

export interface Provider {
  readonly name: ProviderName;
  /** Why there can be no cluster here; undefined where there can. */
  whyNot(): Promise<string | undefined>;
  /** Resolves when pods can run; finds a cluster that it has started before. */
  up(): Promise<ClusterPlace>;
  /** Makes an image under this name, and answers the archive. */
  makeOperatorImage(name: string, plan: ImagePlan): Promise<string>;
  makePostgresImage(name: string): Promise<string>;
  /** Puts the images of an archive on the node, under the names that they have in it. */
  load(archive: string): Promise<void>;
  /** Runs a program on the node as root, with what the node has of programs. */
  onNode(command: readonly string[]): Promise<Finished>;
  /** Leaves nothing behind; does nothing where nothing runs. */
  down(): Promise<void>;
}

export type ProviderName = 'kind' | 'scripts';

/** Ports of nodes that lead outside, for the Services of tests: more than a run needs. */
export const NODE_PORTS: readonly number[] = Array.from({ length: 48 }, (_, index) => 30_080 + index);
