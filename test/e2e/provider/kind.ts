/** A cluster of kind on a machine with Docker. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { projectBinaries } from '../../../scripts/tools/control-plane/project-binaries.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { freePorts } from '../../support/control-plane/ports.ts';
import { type EntryPoint, NODE_PORTS, type Provider } from './provider.ts';
import { runShown } from './run-shown.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const CLUSTER = 'vexil-e2e';
const NODE = `${CLUSTER}-control-plane`;
/** The same version as the PostgreSQL package of the tests. */
const POSTGRES = 'docker.io/library/postgres:18.4';

/**
 * `state` holds the kubeconfig, which ports lead where, and the archives of images. `nodeImage` decides the version of
 * Kubernetes; without it, kind does.
 */
export function kindProvider(state: string, nodeImage?: string): Provider {
  const kubeconfig = join(state, 'kind.kubeconfig');
  const entryPointsFile = join(state, 'kind.entry-points.json');
  const saved = async (name: string): Promise<string> => {
    const archive = join(state, `${name.replaceAll(/\W+/g, '-')}.tar`);
    await mkdir(state, { recursive: true });
    await runShown('docker', ['save', '--output', archive, name]);
    return archive;
  };
  return {
    name: 'kind',
    async whyNot() {
      const docker = await succeeds('docker', ['version']);
      if (!docker) return 'Docker does not answer';
      return (await succeeds('kind', ['version'])) ? undefined : 'kind is not installed';
    },
    async up() {
      await mkdir(state, { recursive: true });
      const there = (await runShown('kind', ['get', 'clusters'])).split('\n').includes(CLUSTER);
      if (there) {
        await runShown('kind', ['export', 'kubeconfig', '--name', CLUSTER, '--kubeconfig', kubeconfig]);
      } else {
        await writeFile(entryPointsFile, JSON.stringify(await freeEntryPoints()));
        const config = join(state, 'kind.yaml');
        await writeFile(config, stringify(clusterWith(await entryPointsOf(entryPointsFile))));
        const where = ['--name', CLUSTER, '--kubeconfig', kubeconfig];
        const image = nodeImage ? ['--image', nodeImage] : [];
        await runShown('kind', ['create', 'cluster', ...where, ...image, '--config', config, '--wait', '180s']);
      }
      const { kubectl } = await projectBinaries();
      return { kubeconfig, kubectl, entryPoints: await entryPointsOf(entryPointsFile) };
    },
    async makeOperatorImage(name) {
      await runShown('docker', ['build', '--tag', name, '--build-arg', 'SOURCE_DATE_EPOCH=0', PROJECT]);
      return saved(name);
    },
    async makePostgresImage(name) {
      await runShown('docker', ['pull', POSTGRES]);
      await runShown('docker', ['tag', POSTGRES, name]);
      return saved(name);
    },
    async load(archive) {
      await runShown('kind', ['load', 'image-archive', archive, '--name', CLUSTER]);
    },
    onNode: (command) => runProgram('docker', ['exec', NODE, ...command]),
    async down() {
      await runShown('kind', ['delete', 'cluster', '--name', CLUSTER]);
    },
  };
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  // A program that is not installed cannot be started.
  return runProgram(program, args).then(
    ({ code }) => code === 0,
    () => false,
  );
}

async function freeEntryPoints(): Promise<EntryPoint[]> {
  const ports = await freePorts(NODE_PORTS.length);
  return NODE_PORTS.map((nodePort, index) => ({ nodePort, port: ports[index] ?? 0 }));
}

async function entryPointsOf(file: string): Promise<EntryPoint[]> {
  return JSON.parse(await readFile(file, 'utf8'));
}

function clusterWith(entryPoints: readonly EntryPoint[]): object {
  const extraPortMappings = entryPoints.map(({ nodePort, port }) => {
    return { containerPort: nodePort, hostPort: port, listenAddress: '127.0.0.1' };
  });
  return {
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    nodes: [{ role: 'control-plane', extraPortMappings }],
  };
}
