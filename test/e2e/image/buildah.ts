/**
 * Builds the Dockerfile with buildah where no image can be pulled. The base images are made of programs of this
 * machine.
 */
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { runShown } from '../provider/run-shown.ts';

export interface BuildahParts {
  /** The program that makes an image from files. */
  readonly imageProgram: string;
  readonly project: string;
  /** The folder for base images, layers and the archive. */
  readonly folder: string;
  /** The name of the image. */
  readonly name: string;
}

/** Programs that `npm ci`, `npm run build` and the other steps of the build stage start. */
const PROGRAMS = ['bash', 'cp', 'env', 'find', 'mkdir', 'sed', 'touch'];
/** Libraries that are loaded while a program runs, so that no file lists them. */
const LOADED_LATER = ['librt.so.1', 'libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2'];
/** Paths of Debian. */
const LIBRARIES = '/lib/x86_64-linux-gnu';
const LOADER = '/lib64/ld-linux-x86-64.so.2';
/** Libraries of a distroless base for C++. */
const FOR_C_PLUS_PLUS = ['libc.so.6', 'libm.so.6', 'libgcc_s.so.1', 'libstdc++.so.6', 'libdl.so.2', 'libpthread.so.0'];
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const [BUILD_BASE, RUN_BASE] = ['localhost/build-base:1', 'localhost/run-base:1'];

/** Returns the path of the archive. The build takes minutes, because the packages are installed again. */
export async function buildWithBuildah(parts: BuildahParts): Promise<string> {
  const { imageProgram, project, folder, name } = parts;
  await which('buildah');
  await mkdir(folder, { recursive: true });
  const storage = join(folder, 'storage');
  const buildah = (...args: readonly string[]) =>
    runShown('buildah', ['--root', storage, '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', ...args], {
      cwd: project,
    });
  for (const [base, args] of [
    [BUILD_BASE, await buildBase(parts)],
    [RUN_BASE, await runBase()],
  ] as const) {
    const archive = join(folder, `${base.replaceAll(/\W+/g, '-')}.tar`);
    await runShown(imageProgram, ['build', '--tag', base, '--output', archive, ...args]);
    await buildah('pull', '--quiet', `docker-archive:${archive}`);
  }
  const npmrc = join(folder, 'npmrc');
  await writeFile(npmrc, await npmSettings(), { mode: 0o600 });
  const bases = [`BUILD_IMAGE=${BUILD_BASE}`, `RUN_IMAGE=${RUN_BASE}`].flatMap((base) => ['--build-arg', base]);
  const where = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers'];
  await buildah(
    'bud',
    ...where,
    '--timestamp',
    '0',
    ...bases,
    '--volume',
    `${npmrc}:/root/.npmrc:ro`,
    '--tag',
    name,
    '.',
  );
  const archive = join(folder, 'image.tar');
  await rm(archive, { force: true });
  await buildah('push', '--quiet', name, `docker-archive:${archive}:${name}`);
  return archive;
}

/** The npm settings of this machine, which name its registry. */
async function npmSettings(): Promise<string> {
  const own = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
  return `${own}\ncafile=${AUTHORITIES}\n`;
}

async function buildBase({ project, folder }: BuildahParts): Promise<readonly string[]> {
  const npm = dirname(dirname(await realpath(await which('npm'))));
  const start = join(folder, 'npm');
  await writeFile(start, '#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n', { mode: 0o755 });
  return [
    ...(await Promise.all(PROGRAMS.map(async (program) => ['--bin', `${await which(program)}:/usr/bin/${program}`]))),
    ...['--bin', '/bin/sh:/bin/sh', '--copy', `${npm}:/usr/lib/npm`, '--copy', `${start}:/usr/bin/npm`],
    ...['--bin', `${join(project, 'node_modules/.bin/node')}:/usr/local/bin/node`],
    ...['--copy', `${AUTHORITIES}:${AUTHORITIES}`],
    ...(await Promise.all(LOADED_LATER.map((name) => copyOf(join(LIBRARIES, name))))),
  ].flat();
}

async function runBase(): Promise<readonly string[]> {
  const libraries = [...FOR_C_PLUS_PLUS.map((name) => join(LIBRARIES, name)), LOADER];
  return (await Promise.all(libraries.map(copyOf))).flat();
}

/** Copies the file that a link leads to. */
async function copyOf(library: string): Promise<readonly string[]> {
  return ['--copy', `${await realpath(library)}:${library}`];
}

async function which(program: string): Promise<string> {
  const { stdout, code } = await runProgram('which', [program]);
  if (code !== 0) throw new Error(`to build with buildah, the program ${program} has to be installed`);
  return realpath(stdout.trim());
}
