/** The real Alertmanager, built from its pinned module. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../control-plane/go-build.ts';
import { pinnedGo, pinnedVersion } from '../control-plane/pins.ts';
import { currentPlatform } from '../control-plane/platform.ts';
import { freePorts } from '../control-plane/ports.ts';
import { type Fill, prepareFolder } from '../control-plane/prepared-folder.ts';
import { sayOnStderr } from '../control-plane/progress.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const MODULE = 'github.com/prometheus/alertmanager';
const NAME = 'alertmanager';

/** As Prometheus sends it; times in RFC 3339. */
export interface SentAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorURL: string;
  readonly startsAt: string;
  /** Absent: it fires. */
  readonly endsAt?: string;
}

export interface Alertmanager {
  /** As Prometheus does; rejects if an alert is not taken. */
  send(...alerts: readonly SentAlert[]): Promise<void>;
  /** The sum of a counter over its series of webhooks. */
  webhooks(counter: string): Promise<number>;
  /** What it has written to its log. */
  readonly log: () => string;
  stop(): Promise<void>;
}

/** Resolves when it takes alerts. */
export async function startAlertmanager(config: string): Promise<Alertmanager> {
  const program = await projectAlertmanager();
  const folder = await mkdtemp(join(tmpdir(), 'vexil-alertmanager-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'config.yaml'), config);
  const args = [
    `--config.file=${join(folder, 'config.yaml')}`,
    `--storage.path=${folder}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  const manager: Alertmanager = {
    log: () => log,
    async send(...alerts) {
      const body = JSON.stringify(alerts);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`Alertmanager answered ${response.status}: ${await response.text()}`);
    },
    async webhooks(counter) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const values = text.split('\n').filter((line) => line.startsWith(`${counter}{`) && line.includes('"webhook"'));
      return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  await waitUntil({ what: 'Alertmanager is ready', timeoutMs: 60_000 }, async () => {
    if (child.exitCode !== null) throw new Error(`Alertmanager has ended:\n${log}`);
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    return response?.ok;
  });
  return manager;
}

/** The path of the program, which is built once: minutes when Go has not built it before. */
async function projectAlertmanager(): Promise<string> {
  const modules = join(PROJECT, 'test/tools', NAME);
  const goMod = await readFile(join(modules, 'go.mod'), 'utf8');
  const { os, arch } = currentPlatform();
  const without = { what: 'Alertmanager has', instead: 'leave out the test with a real Alertmanager' };
  const programs = [{ name: NAME, module: `${MODULE}/cmd/${NAME}`, linkerFlags: '-s -w' }];
  const fill: Fill = (folder) =>
    buildPrograms(folder, { modules, programs, go: pinnedGo(goMod), without, say: sayOnStderr });
  const folder = await prepareFolder({
    cache: join(PROJECT, '.cache', NAME),
    version: `${pinnedVersion(goMod, MODULE)}-${os}-${arch}`,
    programs: [NAME],
    fill,
    say: sayOnStderr,
  });
  return join(folder, NAME);
}
