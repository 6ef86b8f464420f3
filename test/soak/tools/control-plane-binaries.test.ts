/** The order in which the programs of the control plane are searched. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BinarySources, findBinaries } from '../../../scripts/tools/control-plane/binaries.ts';
import { withLock } from '../../../scripts/tools/lock.ts';
import type { Fill } from '../../../scripts/tools/prepared-folder.ts';

const VERSION = '1.36.3-linux-amd64';

let root: string;
let cache: string;
let said: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'binaries-test-'));
  cache = join(root, 'cache');
  said = [];
});

afterEach(() => rm(root, { recursive: true }));

const programs = (origin: string): Fill => {
  return async (folder) => {
    await mkdir(folder, { recursive: true });
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
      await writeFile(join(folder, name), origin, { mode: 0o755 });
    }
  };
};

const failing =
  (reason: string): Fill =>
  async (folder) => {
    await writeFile(join(folder, 'etcd'), 'half of it');
    throw new Error(reason);
  };

function sources(overrides: Partial<BinarySources>): BinarySources {
  return {
    environment: {},
    cache,
    version: VERSION,
    download: programs('downloaded'),
    build: programs('built'),
    say: (line) => said.push(line),
    ...overrides,
  };
}

async function originOf(overrides: Partial<BinarySources>): Promise<string> {
  const { etcd } = await findBinaries(sources(overrides));
  return readFile(etcd, 'utf8');
}

describe('the programs of the control plane', () => {
  it('come from KUBEBUILDER_ASSETS before anywhere else', async () => {
    await programs('given')(join(root, 'assets'));
    await programs('cached')(join(cache, VERSION));
    expect(await originOf({ environment: { KUBEBUILDER_ASSETS: join(root, 'assets') } })).toBe('given');
  });

  it('come from the cache before a download', async () => {
    await programs('cached')(join(cache, VERSION));
    expect(await originOf({})).toBe('cached');
  });

  it('are downloaded before they are built', async () => {
    expect(await originOf({})).toBe('downloaded');
  });

  it('are built if the download fails, and the reason is reported in one line', async () => {
    expect(await originOf({ download: failing('404\nnot found') })).toBe('built');
    expect(said).toEqual(['no download (404 not found), so it is built from source']);
  });

  it('are not downloaded with VEXIL_CONTROL_PLANE=build', async () => {
    expect(await originOf({ environment: { VEXIL_CONTROL_PLANE: 'build' } })).toBe('built');
  });

  it('are made once for all later runs', async () => {
    await findBinaries(sources({}));
    const later = { download: failing('a second download'), build: failing('a second build') };
    expect(await originOf(later)).toBe('downloaded');
  });

  it('are made once by two callers at the same time', async () => {
    let downloads = 0;
    const download: Fill = async (folder) => {
      downloads += 1;
      await programs('downloaded')(folder);
    };
    await Promise.all([findBinaries(sources({ download })), findBinaries(sources({ download }))]);
    expect(downloads).toBe(1);
  });

  it('are made again if the cache is incomplete', async () => {
    await programs('cached')(join(cache, VERSION));
    await rm(join(cache, VERSION, 'kubectl'));
    expect(await originOf({})).toBe('downloaded');
  });

  it('leave nothing incomplete in the cache if everything fails', async () => {
    const broken = { download: failing('no network'), build: failing('no Go') };
    await expect(findBinaries(sources(broken))).rejects.toThrow('no Go');
    expect(await readdir(cache)).toEqual(['lock']);
  });

  it('are made where a process was killed in the middle, and its leftovers are deleted', async () => {
    await mkdir(join(cache, '.partial-killed'), { recursive: true });
    await findBinaries(sources({}));
    expect((await readdir(cache)).sort()).toEqual([VERSION, 'lock']);
  });

  it('are not removed while another process prepares them', async () => {
    const partial = join(cache, '.partial-alive');
    await mkdir(partial, { recursive: true });
    let isThere: boolean | undefined;
    let finding: Promise<string> | undefined;
    await withLock(join(cache, 'lock'), async () => {
      await new Promise<void>((waits) => {
        finding = originOf({ say: () => waits() });
      });
      isThere = (await readdir(cache)).includes('.partial-alive');
    });
    expect(isThere).toBe(true);
    expect(await finding).toBe('downloaded');
    expect((await readdir(cache)).sort()).toEqual([VERSION, 'lock']);
  });

  it('are named when KUBEBUILDER_ASSETS lacks them', async () => {
    const assets = join(root, 'assets');
    await programs('given')(assets);
    await rm(join(assets, 'etcd'));
    const want = `KUBEBUILDER_ASSETS=${assets} has no program etcd`;
    await expect(findBinaries(sources({ environment: { KUBEBUILDER_ASSETS: assets } }))).rejects.toThrow(want);
  });
});
