/** Runs the Node.js of an unpacked image with the libraries of the image, without an engine and without root. */
import { chmod, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runQuietly } from '../../../scripts/image/run-quietly.ts';
import { currentPlatform } from '../../../scripts/tools/platform.ts';
import { prepareFolder } from '../../../scripts/tools/prepared-folder.ts';
import { sayOnStderr } from '../../../scripts/tools/progress.ts';

const NODE = 'usr/local/bin/node';
/** The loaders of the C library, and the folders of libraries. */
const LOADERS: Readonly<Record<string, { readonly loader: string; readonly libraries: string }>> = {
  amd64: { loader: 'lib64/ld-linux-x86-64.so.2', libraries: 'x86_64-linux-gnu' },
  arm64: { loader: 'lib/ld-linux-aarch64.so.1', libraries: 'aarch64-linux-gnu' },
};
const EMULATORS: Readonly<Record<string, string>> = { amd64: 'qemu-x86_64-static', arm64: 'qemu-aarch64-static' };

/** Writes a program next to the unpacked image that runs its Node.js, and returns the path. */
export async function nodeOfImage(root: string, architecture: string): Promise<string> {
  const { loader, libraries } = LOADERS[architecture] ?? { loader: '', libraries: '' };
  const paths = ['lib', 'usr/lib'].map((folder) => join(root, folder, libraries)).join(':');
  const command =
    architecture === currentPlatform().arch
      ? [join(root, loader), '--library-path', paths]
      : [join(await emulators(), EMULATORS[architecture] ?? ''), '-L', root];
  const program = `${root}-node`;
  const words = [...command, join(root, NODE)].map((word) => `'${word}'`).join(' ');
  await writeFile(program, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(program, 0o755);
  return program;
}

/** The emulators of Debian, from its package. Nothing is installed. */
function emulators(): Promise<string> {
  const { os, arch } = currentPlatform();
  return prepareFolder({
    cache: fileURLToPath(new URL('../../../.cache/qemu', import.meta.url)),
    version: `${os}-${arch}`,
    programs: Object.values(EMULATORS),
    say: sayOnStderr,
    async fill(folder) {
      const work = await mkdtemp(join(folder, 'work-'));
      await runQuietly('apt-get', ['download', 'qemu-user-static'], { cwd: work });
      const [archive = ''] = await readdir(work);
      await runQuietly('dpkg-deb', ['--extract', archive, '.'], { cwd: work });
      for (const name of Object.values(EMULATORS)) await rename(join(work, 'usr/bin', name), join(folder, name));
      await rm(work, { recursive: true });
    },
  });
}
