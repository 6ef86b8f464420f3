/** Builds the programs of the control plane from their pinned Go modules. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions, type Pins } from './pins.ts';
import { narrate, type Say } from './progress.ts';
import { type Finished, runProgram } from './run-program.ts';

export interface BuildOptions {
  /** The folder of go.mod. */
  readonly modules: string;
  readonly pins: Pins;
  readonly say: Say;
}

interface Program {
  readonly name: string;
  readonly module: string;
  readonly linkerFlags: string;
}

/** Builds etcd, kube-apiserver and kubectl into the folder: minutes at first, seconds once Go's own cache is warm. */
export async function buildFromSource(folder: string, { modules, pins, say }: BuildOptions): Promise<void> {
  await requireGo(modules, pins.go);
  // An interrupted Go leaves its work behind; here it goes with the folder.
  const work = join(folder, 'work');
  await mkdir(work);
  const environment = { CGO_ENABLED: '0', GOTMPDIR: work };
  for (const { name, module, linkerFlags } of programsOf(pins)) {
    const args = ['build', '-trimpath', `-ldflags=${linkerFlags}`, '-o', join(folder, name), module];
    const what = `building ${name} from source (minutes when Go has not built it before)`;
    const { code, stderr } = await narrate({ say, what }, () =>
      runProgram('go', args, { cwd: modules, environment, endsWithUs: true }),
    );
    if (code !== 0) throw new Error(`go build of ${name} failed:\n${lastLines(stderr)}`);
  }
  await rm(work, { recursive: true });
}

function programsOf({ kubernetes }: Pins): Program[] {
  const [major, minor] = kubernetes.split('.');
  const version = 'k8s.io/component-base/version';
  // Without its version the server takes itself for 0.0.0-master, which some feature gates misread.
  const kubernetesFlags = [
    '-s -w',
    `-X ${version}.gitVersion=v${kubernetes}`,
    `-X ${version}.gitMajor=${major}`,
    `-X ${version}.gitMinor=${minor}`,
  ].join(' ');
  return [
    { name: 'kube-apiserver', module: 'k8s.io/kubernetes/cmd/kube-apiserver', linkerFlags: kubernetesFlags },
    { name: 'etcd', module: 'go.etcd.io/etcd/server/v3', linkerFlags: '-s -w' },
    { name: 'kubectl', module: 'k8s.io/kubernetes/cmd/kubectl', linkerFlags: kubernetesFlags },
  ];
}

/** Asks in the folder of the modules: there Go may switch to the newer toolchain that go.mod wants. */
async function requireGo(modules: string, wanted: string): Promise<void> {
  const found = await goVersion(modules);
  if (found !== undefined && compareVersions(found, wanted) >= 0) return;
  const present = found === undefined ? 'there is no Go here' : `Go ${found} here is too old`;
  throw new Error(
    `The control plane for the tests has to be built, but ${present}. ` +
      `Install Go ${wanted} or newer (https://go.dev/dl), or name a folder that holds etcd, kube-apiserver ` +
      'and kubectl in KUBEBUILDER_ASSETS.',
  );
}

async function goVersion(modules: string): Promise<string | undefined> {
  const asked: Finished | undefined = await runProgram('go', ['env', 'GOVERSION'], { cwd: modules }).catch(
    () => undefined,
  );
  return asked?.code === 0 ? /\d+(?:\.\d+)*/.exec(asked.stdout)?.[0] : undefined;
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n');
}
