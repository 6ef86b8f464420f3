/** Programs of one pinned Go module, which has its own folder below test/tools. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../../../scripts/tools/go-build.ts';
import { pinnedGo, pinnedVersion } from '../../../scripts/tools/pins.ts';
import { currentPlatform } from '../../../scripts/tools/platform.ts';
import { type Fill, prepareFolder } from '../../../scripts/tools/prepared-folder.ts';
import { sayOnStderr } from '../../../scripts/tools/progress.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ModulePrograms {
  /** `github.com/prometheus/prometheus`. */
  readonly module: string;
  /** The folder below test/tools; by default, the last part of the module. */
  readonly folder?: string;
  /** By default, the folders below `cmd` of the module. */
  readonly programs: readonly string[];
  /** The packages of programs that are elsewhere; those in the folder begin with `.`. */
  readonly packages?: Readonly<Record<string, string>>;
  /** What to do without Go: `leave out the test with …`. */
  readonly instead: string;
}

/** Returns the folder with the programs. They are built once, which takes minutes if Go has not built them before. */
export async function modulePrograms(wanted: ModulePrograms): Promise<string> {
  const { module, programs, instead, packages = {}, folder: name = basename(module) } = wanted;
  const modules = join(PROJECT, 'test/tools', name);
  const goMod = await readFile(join(modules, 'go.mod'), 'utf8');
  const { os, arch } = currentPlatform();
  const built = programs.map((program) => {
    return { name: program, module: packages[program] ?? `${module}/cmd/${program}`, linkerFlags: '-s -w' };
  });
  const without = { what: `The programs of ${name} have`, instead };
  const fill: Fill = (folder) =>
    buildPrograms(folder, { modules, programs: built, go: pinnedGo(goMod), without, say: sayOnStderr });
  return prepareFolder({
    cache: join(PROJECT, '.cache', name),
    version: `${pinnedVersion(goMod, module)}-${os}-${arch}`,
    programs,
    fill,
    say: sayOnStderr,
  });
}
