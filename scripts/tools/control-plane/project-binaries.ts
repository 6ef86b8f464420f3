/** The programs of the control plane that this project pins. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentPlatform } from '../platform.ts';
import { type Say, sayOnStderr } from '../progress.ts';
import { type Binaries, type BinarySources, findBinaries } from './binaries.ts';
import { buildFromSource } from './build.ts';
import { downloadBundle, ENVTEST_INDEX } from './download.ts';
import { kubernetesVersion, NEWEST } from './versions.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ProjectBinariesOptions {
  /** `VEXIL_KUBERNETES` chooses the version. */
  readonly environment?: BinarySources['environment'];
  readonly cache?: string;
  readonly index?: string;
  readonly say?: Say;
}

/** Finds, downloads or builds the pinned programs. */
export async function projectBinaries({
  environment = process.env,
  cache = join(PROJECT, '.cache/control-plane'),
  index = ENVTEST_INDEX,
  say = sayOnStderr,
}: ProjectBinariesOptions = {}): Promise<Binaries> {
  const { modules, pins } = await kubernetesVersion(environment['VEXIL_KUBERNETES']);
  const platform = currentPlatform();
  return findBinaries({
    environment,
    cache,
    version: `${pins.kubernetes}-${platform.os}-${platform.arch}`,
    download: (folder) => downloadBundle(folder, { index, version: pins.kubernetes, platform, say }),
    build: (folder) => buildFromSource(folder, { modules, etcdModules: NEWEST, pins, say }),
    say,
  });
}
