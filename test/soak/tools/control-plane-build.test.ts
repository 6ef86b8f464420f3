/** The message for a developer without a suitable Go. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildFromSource } from '../../../scripts/tools/control-plane/build.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-test-'));
  vi.stubEnv('PATH', folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function goThat(does: string): Promise<void> {
  await writeFile(join(folder, 'go'), `#!/bin/sh\n${does}\n`);
  await chmod(join(folder, 'go'), 0o755);
}

function build(): Promise<void> {
  const pins = { kubernetes: '1.36.3', go: '1.26.0' };
  return buildFromSource(folder, { modules: folder, etcdModules: folder, pins, say: () => undefined });
}

describe('a build of the control plane', () => {
  it('without Go reports what to install', async () => {
    await expect(build()).rejects.toThrow(/there is no Go here\. Install Go 1\.26\.0 or newer/);
  });

  it('with a Go that is too old reports the installed version', async () => {
    await goThat('echo go1.22.5');
    await expect(build()).rejects.toThrow(/Go 1\.22\.5 here is too old\. Install Go 1\.26\.0 or newer/);
  });

  it('that fails shows the messages of the compiler', async () => {
    await goThat('[ "$1" = env ] && echo go1.26.8 && exit 0; echo no space left >&2; exit 1');
    await expect(build()).rejects.toThrow('go build of kube-apiserver failed:\nno space left');
  });
});
