/** The programs that publish a release, and the registry of the tests, built from their pinned modules. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from './go-build.ts';
import { pinnedGo, pinnedVersion } from './pins.ts';
import { currentPlatform } from './platform.ts';
import { type Fill, prepareFolder } from './prepared-folder.ts';
import { sayOnStderr } from './progress.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = {
  oras: 'oras.land/oras',
  cosign: 'github.com/sigstore/cosign/v3',
  registry: 'github.com/distribution/distribution/v3',
} as const;

export type ReleaseProgram = keyof typeof MODULES;

/** Returns the path of a program. Each is built once; cosign takes minutes if Go has not built it before. */
export async function releaseProgram(name: ReleaseProgram): Promise<string> {
  const modules = join(PROJECT, 'test/tools/release');
  const goMod = await readFile(join(modules, 'go.mod'), 'utf8');
  const { os, arch } = currentPlatform();
  const programs = [{ name, module: `${MODULES[name]}/cmd/${name}`, linkerFlags: '-s -w' }];
  const without = { what: `The program ${name} has`, instead: 'publish the release on a machine that has Go' };
  const fill: Fill = (folder) =>
    buildPrograms(folder, { modules, programs, go: pinnedGo(goMod), without, say: sayOnStderr });
  const folder = await prepareFolder({
    cache: join(PROJECT, '.cache/release'),
    version: `${name}-${pinnedVersion(goMod, MODULES[name])}-${os}-${arch}`,
    programs: [name],
    fill,
    say: sayOnStderr,
  });
  return join(folder, name);
}
