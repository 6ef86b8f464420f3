/** A cluster that the scripts of a folder start: `up.sh`, `image.py` and `down.sh`, as described in its README. */
import { constants } from 'node:fs';
import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeImageLayout } from '../../../scripts/image/image-layout.ts';
import { presentCommit } from '../../../scripts/image/origin.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { buildWithBuildah } from '../image/buildah.ts';
import { postgresArguments } from '../image/postgres-image.ts';
import { type ClusterPlace, type EntryPoint, NODE_PORTS, type Provider } from './provider.ts';
import { runShown } from './run-shown.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const SCRIPTS = ['up.sh', 'image.py', 'down.sh'];

export interface ScriptsParts {
  readonly scripts: string;
  /** The folder for everything of the cluster, and for the archives of images. */
  readonly state: string;
  /** Whether buildah builds the Dockerfile, instead of what makes the image without a container engine. */
  readonly withBuildah: boolean;
}

export function scriptsProvider({ scripts, state, withBuildah }: ScriptsParts): Provider {
  const cluster = join(state, 'cluster');
  const script = (name: string) => join(scripts, name);
  const image = async (name: string, args: readonly string[]): Promise<string> => {
    const archive = join(state, `${name.replaceAll(/\W+/g, '-')}.tar`);
    await mkdir(state, { recursive: true });
    await runShown(script('image.py'), ['build', '--tag', name, '--output', archive, ...args], { cwd: PROJECT });
    return archive;
  };
  return {
    name: 'scripts',
    async whyNot() {
      const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
      return isRoot ? undefined : `the scripts in ${scripts} need Linux, and root`;
    },
    async up(): Promise<ClusterPlace> {
      await requireScripts(scripts);
      await mkdir(cluster, { recursive: true });
      const ports = NODE_PORTS.map((port) => `0:${port}`).join(' ');
      // A python3 that is itself a shell script, such as the one of pyenv, starts programs that are taken for the node.
      const environment = { CLUSTER_PORTS: ports, PATH: `/usr/bin:${process.env['PATH']}` };
      await runShown(script('up.sh'), [cluster], { environment });
      const read = (name: string) => readFile(join(cluster, name), 'utf8');
      return {
        kubeconfig: join(cluster, 'kubeconfig'),
        kubectl: join((await read('bin')).trim(), 'kubectl'),
        entryPoints: entryPointsIn(await read('ports')),
      };
    },
    makeOperatorImage: (name) =>
      withBuildah
        ? buildWithBuildah({ imageProgram: script('image.py'), project: PROJECT, folder: join(state, 'buildah'), name })
        : archiveOfLayout(state),
    makePostgresImage: async (name) => image(name, await postgresArguments(state)),
    async load(archive) {
      await runShown(script('image.py'), ['load', '--state', cluster, archive]);
    },
    async onNode(command) {
      const [pid = ''] = (await readFile(join(cluster, 'init'), 'utf8')).split(' ');
      return runProgram('nsenter', ['--target', pid, '--all', ...command]);
    },
    async down() {
      await runShown(script('down.sh'), [cluster]);
    },
  };
}

/** A folder that is named but unusable is an error, and no reason to skip the tests. */
async function requireScripts(folder: string): Promise<void> {
  for (const name of SCRIPTS) {
    await access(join(folder, name), constants.X_OK).catch((cause: Error) => {
      throw new Error(`VEXIL_E2E_CLUSTER=${folder} has no program ${name}`, { cause });
    });
  }
}

/** Each line has a port of 127.0.0.1 and a port of the node; the first line is that of the API server. */
function entryPointsIn(ports: string): EntryPoint[] {
  const pairs = ports
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  return pairs
    .map(([port = 0, nodePort = 0]) => ({ port, nodePort }))
    .filter(({ nodePort }) => NODE_PORTS.includes(nodePort));
}

/** The image of `make image` and of releases, under its own name. */
async function archiveOfLayout(state: string): Promise<string> {
  const layout = join(state, 'image');
  const sources = { root: PROJECT, built: join(PROJECT, 'dist'), cache: join(PROJECT, '.cache/image') };
  await makeImageLayout(layout, { ...sources, ...(await presentCommit(PROJECT)) });
  const archive = `${layout}.tar`;
  await runShown('tar', ['--create', '--file', archive, '--directory', layout, '.']);
  return archive;
}
