/** The steps of a move from a real Unleash that several tests take (docs/from-unleash.md). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { vexil, vexilProcess } from './command-line.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Instance } from './instance.ts';
import type { Stored } from './stored.ts';
import type { UnleashServer } from './unleash-server.ts';

export interface Announced {
  readonly path: string;
  readonly advice: string;
}

export interface ImportReport {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly unmapped: readonly Announced[];
  readonly notes: readonly string[];
}

interface Move {
  readonly old: UnleashServer;
  readonly instance: Instance;
  /** The folder for all files of the move. */
  readonly folder: string;
}

/** Reads the server into the folder `to` below the folder of the move, and its tokens beside it. */
export async function importServer(
  { old, instance: { home }, folder }: Move,
  to: string,
  more: readonly string[] = [],
): Promise<ImportReport> {
  const target = ['--to', join(folder, to), '--secrets', join(folder, 'secrets.yaml'), ...more];
  const namespaces = ['--namespace', home, '--operator-namespace', home];
  const { stdout } = await vexil(['import', '--from-url', old.url, ...target, ...namespaces, '--output', 'json'], {
    environment: { UNLEASH_TOKEN: old.adminToken },
  });
  expect(await readFile(join(folder, 'secrets.yaml'), 'utf8')).toContain(old.clientTokens.production);
  return JSON.parse(stdout);
}

/** Resolves when all objects are in effect. */
export async function applyImported({ instance: { cluster, home }, folder }: Move, from: string): Promise<void> {
  const args = ['apply', '--server-side', '--force-conflicts', '-R', '-f', join(folder, from)];
  await cluster.kubectlOrThrow(args);
  await cluster.kubectlOrThrow(['apply', '-f', join(folder, 'secrets.yaml')]);
  // `kubectl wait` opens a watch for each of hundreds of objects.
  for (const kind of ['featureflags', 'projects', 'environments', 'segments', 'apitokens']) {
    await waitUntil({ what: `all ${kind} are in effect`, everyMs: 100 }, async () => {
      const { items } = await cluster.getObject(kind, home);
      return items.every(isReady);
    });
  }
}

const isReady = ({ status }: Stored) =>
  status?.conditions?.some((one: Stored) => one.type === 'Ready' && one.status === 'True');

export interface Compared {
  readonly flags: number;
  readonly coverage: { readonly notReached: readonly unknown[] };
  /** The names of the flags that differ, each once. */
  readonly differing: readonly string[];
}

/** Asks both servers with these tokens. */
export async function compareServers(
  { old, instance, folder }: Move,
  given: readonly string[],
  more: readonly string[] = [],
): Promise<Compared> {
  const tokens = join(folder, 'tokens');
  await writeFile(tokens, given.join('\n'));
  const args = ['compare', old.url, instance.url, '--tokens', tokens, ...more, '--output', 'json'];
  // It works for seconds, in which an operator in the same process answers nothing.
  const { stdout } = await vexilProcess(args);
  const { differences, doubts, ...rest } = JSON.parse(stdout);
  const names = [...differences, ...doubts].map(({ flag }: { readonly flag: string }) => flag);
  return { ...rest, differing: [...new Set(names)] };
}

/** Whether the import named the flag as one that may differ. */
export function isAnnounced(unmapped: readonly Announced[], flag: string): boolean {
  return unmapped.some(({ path }) => path.includes(`flag ${flag} in`) || path.startsWith(`flags/${flag}:`));
}

/** The events of the server, which has one for each write. */
export async function eventsOf(server: UnleashServer): Promise<string> {
  const answer = (await server.admin('GET', '/events')) as { readonly events: readonly unknown[] };
  return JSON.stringify(answer.events);
}
