/** What a download of the control plane refuses. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadBundle } from '../../../scripts/tools/control-plane/download.ts';
import { currentPlatform } from '../../../scripts/tools/platform.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { type ReleaseOptions, type ReleaseServer, serveRelease } from '../../support/control-plane/release-server.ts';

let root: string;
let folder: string;
let releases: ReleaseServer | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'download-test-'));
  folder = join(root, 'target');
  await mkdir(folder);
});

afterEach(async () => {
  await releases?.close();
  await rm(root, { recursive: true });
});

async function smallBundle(): Promise<Buffer> {
  await mkdir(join(root, 'controller-tools/envtest'), { recursive: true });
  await writeFile(join(root, 'controller-tools/envtest/etcd'), 'a program', { mode: 0o755 });
  await runProgram('tar', ['-czf', 'bundle.tar.gz', 'controller-tools'], { cwd: root });
  return readFile(join(root, 'bundle.tar.gz'));
}

async function downloadFrom(options: ReleaseOptions, index?: string): Promise<string[]> {
  const said: string[] = [];
  releases = await serveRelease(await smallBundle(), { versions: ['1.36.3'], ...options });
  await downloadBundle(folder, {
    index: index ?? releases.index,
    version: '1.36.3',
    platform: currentPlatform(),
    say: (line) => said.push(line),
  });
  return said;
}

describe('a download of the control plane', () => {
  it('puts only the programs into the folder', async () => {
    await downloadFrom({});
    expect(await readdir(folder)).toEqual(['etcd']);
    expect(await readFile(join(folder, 'etcd'), 'utf8')).toBe('a program');
  });

  it('refuses a bundle with another checksum than that of the index, and unpacks none of its files', async () => {
    await expect(downloadFrom({ hash: 'abc' })).rejects.toThrow(/has the SHA-512 [0-9a-f]{128}, the index says abc/);
    expect(await readdir(folder)).not.toContain('etcd');
  });

  it('uses the pinned version even if there is a newer one', async () => {
    const said = await downloadFrom({ versions: ['1.36.2', '1.36.3', '1.36.4'] });
    expect(said.join('\n')).toContain('envtest-v1.36.3-');
  });

  it('uses the newest patch of the same minor release if the pinned one has no bundle, and reports it', async () => {
    const said = await downloadFrom({ versions: ['1.36.9', '1.36.10', '1.36.11-rc.0', '1.37.0', '1.3.99'] });
    expect(said[0]).toBe('v1.36.3 has no bundle, v1.36.10 is the closest one');
    expect(said[1]).toContain('envtest-v1.36.10-');
  });

  it.each([[['1.35.9', '1.37.0']], [[]]])('reports that there is no bundle among %j', async (versions) => {
    await expect(downloadFrom({ versions })).rejects.toThrow(/index\.yaml has no envtest-v1\.36\.3-/);
  });

  const refusals: { what: string; answer: RequestListener; want: string }[] = [
    {
      what: 'is not there',
      answer: (_request, response) => void response.writeHead(404).end(),
      want: 'answered 404',
    },
    {
      what: 'breaks off',
      answer: (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy());
      },
      want: 'terminated',
    },
  ];

  it.each(refusals)('fails for a bundle that $what', async ({ answer, want }) => {
    await expect(downloadFrom({ answer })).rejects.toThrow(want);
  });

  it('fails without a network', async () => {
    await expect(downloadFrom({}, 'http://127.0.0.1:1/index.yaml')).rejects.toThrow('fetch failed');
  });
});
