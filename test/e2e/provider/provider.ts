/** A cluster with a real kubelet, from any provider. */
import type { Finished } from '../../../scripts/tools/run-program.ts';

/** A port of the node, and the port of 127.0.0.1 that leads to it. */
export interface EntryPoint {
  readonly nodePort: number;
  readonly port: number;
}

/** Plain values, so that they can be handed to another process. */
export interface ClusterPlace {
  /** The path of a kubeconfig of a cluster administrator. */
  readonly kubeconfig: string;
  /** The path of the program. */
  readonly kubectl: string;
  readonly entryPoints: readonly EntryPoint[];
}

export interface Provider {
  readonly name: ProviderName;
  /** Why no cluster is possible here; undefined if one is. */
  whyNot(): Promise<string | undefined>;
  /** Resolves when pods can run. Uses a cluster that it has started before. */
  up(): Promise<ClusterPlace>;
  /** Makes an image with this name from the output of `npm run build`, and returns the path of its archive. */
  makeOperatorImage(name: string): Promise<string>;
  makePostgresImage(name: string): Promise<string>;
  /** Loads the images of an archive into the node, under their names in the archive. */
  load(archive: string): Promise<void>;
  /** Runs a program of the node as root. */
  onNode(command: readonly string[]): Promise<Finished>;
  /** Deletes the cluster. Does nothing if no cluster runs. */
  down(): Promise<void>;
}

export type ProviderName = 'kind' | 'scripts';

/** Ports of the node that can be reached from outside, for the Services of tests; more than a run needs. */
export const NODE_PORTS: readonly number[] = Array.from({ length: 48 }, (_, index) => 30_080 + index);
