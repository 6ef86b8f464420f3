/** Builds programs from pinned Go modules. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions } from './pins.ts';
import { narrate, type Say } from './progress.ts';
import { type Finished, runProgram } from './run-program.ts';

export interface GoProgram {
  readonly name: string;
  /** The package with its `main`. */
  readonly module: string;
  readonly linkerFlags: string;
}

export interface GoBuild {
  /** The folder of go.mod. */
  readonly modules: string;
  readonly programs: readonly GoProgram[];
  /** The oldest Go that builds them: `1.26.0`. */
  readonly go: string;
  /** Two halves of the message if Go is missing: what needs Go, and what to do instead of installing it. */
  readonly without: { readonly what: string; readonly instead: string };
  readonly say: Say;
}

/** Go switches to the newer version that a go.mod requires, also where its settings forbid this. */
const SWITCHING = { GOTOOLCHAIN: 'auto' };

/** Builds the programs into the folder: minutes at first, seconds when Go has cached the build. */
export async function buildPrograms(folder: string, build: GoBuild): Promise<void> {
  await requireGo(build);
  // An interrupted Go leaves its work folder behind; here it is deleted with the folder.
  const work = join(folder, 'work');
  await mkdir(work);
  const environment = { ...SWITCHING, CGO_ENABLED: '0', GOTMPDIR: work };
  for (const { name, module, linkerFlags } of build.programs) {
    const args = ['build', '-trimpath', `-ldflags=${linkerFlags}`, '-o', join(folder, name), module];
    const what = `building ${name} from source (minutes when Go has not built it before)`;
    const { code, stderr } = await narrate({ say: build.say, what }, () =>
      runProgram('go', args, { cwd: build.modules, environment, endsWithUs: true }),
    );
    if (code !== 0) throw new Error(`go build of ${name} failed:\n${lastLines(stderr)}`);
  }
  await rm(work, { recursive: true });
}

/** Checks the version in the folder of the modules. */
async function requireGo({ modules, go, without }: GoBuild): Promise<void> {
  const found = await goVersion(modules);
  if (found !== undefined && compareVersions(found, go) >= 0) return;
  const present = found === undefined ? 'there is no Go here' : `Go ${found} here is too old`;
  throw new Error(
    `${without.what} to be built, but ${present}. Install Go ${go} or newer (https://go.dev/dl), or ${without.instead}.`,
  );
}

async function goVersion(modules: string): Promise<string | undefined> {
  const asked: Finished | undefined = await runProgram('go', ['env', 'GOVERSION'], {
    cwd: modules,
    environment: SWITCHING,
  }).catch(() => undefined);
  return asked?.code === 0 ? /\d+(?:\.\d+)*/.exec(asked.stdout)?.[0] : undefined;
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n');
}
