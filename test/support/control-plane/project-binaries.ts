/** The programs of the control plane that this project's tests run against. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Binaries, type BinarySources, findBinaries } from './binaries.ts';
import { buildFromSource } from './build.ts';
import { downloadBundle, ENVTEST_INDEX } from './download.ts';
import { readPins } from './pins.ts';
import { currentPlatform } from './platform.ts';
import { type Say, sayOnStderr } from './progress.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ProjectBinariesOptions {
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
  const modules = join(PROJECT, 'test/controlplane');
  const pins = readPins(await readFile(join(modules, 'go.mod'), 'utf8'));
  const platform = currentPlatform();
  return findBinaries({
    environment,
    cache,
    version: `${pins.kubernetes}-${platform.os}-${platform.arch}`,
    download: (folder) => downloadBundle(folder, { index, version: pins.kubernetes, platform, say }),
    build: (folder) => buildFromSource(folder, { modules, pins, say }),
    say,
  });
}
