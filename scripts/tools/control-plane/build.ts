/** Builds the programs of the control plane from their pinned Go modules. */
import { buildPrograms, type GoProgram } from '../go-build.ts';
import type { Pins } from '../pins.ts';
import type { Say } from '../progress.ts';

export interface BuildOptions {
  /** The folder of go.mod of etcd, which does not follow the versions of Kubernetes. */
  readonly modules: string;
  /**
   * Builds etcd, kube-apiserver and kubectl into the folder: minutes at first, seconds when Go has cached the build.
   */
  readonly etcdModules: string;
  readonly pins: Pins;
  readonly say: Say;
}

/** Builds etcd, kube-apiserver and kubectl into the folder: minutes at first, seconds once Go's own cache is warm. */
export async function buildFromSource(
  folder: string,
  { modules, etcdModules, pins, say }: BuildOptions,
): Promise<void> {
  const without = {
    what: 'The control plane has',
    instead: 'name a folder that holds etcd, kube-apiserver and kubectl in KUBEBUILDER_ASSETS',
  };
  const build = { go: pins.go, without, say };
  await buildPrograms(folder, { ...build, modules, programs: kubernetesPrograms(pins) });
  await buildPrograms(folder, { ...build, modules: etcdModules, programs: [ETCD] });
}

const ETCD: GoProgram = { name: 'etcd', module: 'go.etcd.io/etcd/server/v3', linkerFlags: '-s -w' };

function kubernetesPrograms({ kubernetes }: Pins): GoProgram[] {
  const [major, minor] = kubernetes.split('.');
  const version = 'k8s.io/component-base/version';
  // Without its version the server reports 0.0.0-master, which some feature gates misread.
  const linkerFlags = [
    '-s -w',
    `-X ${version}.gitVersion=v${kubernetes}`,
    `-X ${version}.gitMajor=${major}`,
    `-X ${version}.gitMinor=${minor}`,
  ].join(' ');
  return [
    { name: 'kube-apiserver', module: 'k8s.io/kubernetes/cmd/kube-apiserver', linkerFlags },
    { name: 'kubectl', module: 'k8s.io/kubernetes/cmd/kubectl', linkerFlags },
  ];
}
