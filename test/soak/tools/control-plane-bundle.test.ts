/** The way from a release bundle to a running control plane. */
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectBinaries } from '../../../scripts/tools/control-plane/project-binaries.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { type ReleaseServer, serveRelease } from '../../support/control-plane/release-server.ts';
import { startControlPlane } from '../../support/control-plane/start-control-plane.ts';

let folder: string;
let releases: ReleaseServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-test-'));
  releases = await serveRelease(await bundleOfOurOwn());
});

afterAll(async () => {
  await releases.close();
  await rm(folder, { recursive: true });
});

/** The programs of this run, packed as releases are. */
async function bundleOfOurOwn(): Promise<Buffer> {
  const inside = 'controller-tools/envtest';
  await mkdir(join(folder, inside), { recursive: true });
  for (const program of Object.values(await projectBinaries())) {
    await copyFile(program, join(folder, inside, basename(program)));
  }
  await runProgram('tar', ['-cf', 'bundle.tar', inside], { cwd: folder });
  const bundle = join(folder, 'bundle.tar.gz');
  await pipeline(createReadStream(join(folder, 'bundle.tar')), createGzip({ level: 1 }), createWriteStream(bundle));
  return readFile(bundle);
}

it('a downloaded bundle becomes a control plane that works, and stays in the cache', async () => {
  const said: string[] = [];
  const cache = join(folder, 'cache');
  const options = { environment: {}, cache, index: releases.index, say: (line: string) => said.push(line) };

  const binaries = await projectBinaries(options);

  expect(binaries.etcd.startsWith(cache)).toBe(true);
  expect(said.join('\n')).toMatch(/^downloading http:\/\/127\.0\.0\.1/);
  const controlPlane = await startControlPlane({ binaries });
  expect(await controlPlane.kubectl(['get', 'namespaces'])).toMatchObject({ code: 0 });
  await controlPlane.stop();

  await releases.close();
  expect(await projectBinaries(options)).toEqual(binaries);
});
