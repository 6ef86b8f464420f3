/** Makes the base of the image in a folder: C and C++ libraries, authorities, time zones. There is no shell. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedPackage } from './debian-packages.ts';
import { runQuietly } from './run-quietly.ts';

/** What no program in the image reads. Copyright files stay. */
const UNUSED = ['usr/share/locale', 'usr/share/man', 'usr/share/lintian', 'usr/share/bug', 'usr/share/info'];

const USERS = [
  'root:x:0:0:root:/root:/sbin/nologin',
  'nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin',
  'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin',
];
const GROUPS = ['root:x:0:', 'nobody:x:65534:', 'nonroot:x:65532:'];
const FILES: Readonly<Record<string, string>> = {
  'etc/passwd': `${USERS.join('\n')}\n`,
  'etc/group': `${GROUPS.join('\n')}\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** The paths have the modes of their packages. */
export async function makeBaseRoot(root: string, packages: readonly FetchedPackage[]): Promise<void> {
  for (const one of packages) await unpack(root, one);
  for (const path of UNUSED) await rm(join(root, path), { recursive: true, force: true });
  await keepCopyrights(join(root, 'usr/share/doc'));
  for (const folder of ['etc', 'etc/ssl', 'etc/ssl/certs', 'home', 'home/nonroot'])
    await mkdir(join(root, folder), { recursive: true, mode: 0o755 });
  for (const [path, text] of Object.entries(FILES)) await write(join(root, path), text);
  await write(join(root, 'etc/ssl/certs/ca-certificates.crt'), await authorities(root));
}

/** Scanners find the versions of packages in `status.d`, as in other images without a package manager. */
async function unpack(root: string, { name, file }: FetchedPackage): Promise<void> {
  const work = await mkdtemp(`${root}-control-`);
  try {
    await runQuietly('dpkg-deb', ['--extract', file, root]);
    await runQuietly('dpkg-deb', ['--control', file, work]);
    const status = join(root, 'var/lib/dpkg/status.d');
    await mkdir(status, { recursive: true, mode: 0o755 });
    await write(join(status, name), await readFile(join(work, 'control'), 'utf8'));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function keepCopyrights(documents: string): Promise<void> {
  const entries = await readdir(documents, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.isSymbolicLink());
  for (const { name, parentPath } of files) if (name !== 'copyright') await rm(join(parentPath, name), { force: true });
}

/** The certificates in one file, in the order of their names, as `update-ca-certificates` writes it. */
async function authorities(root: string): Promise<string> {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => `${text.trimEnd()}\n`).join('');
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o644);
}
