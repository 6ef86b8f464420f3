/** The documentation built as a static site, and a server of it. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';

const PROGRAM = fileURLToPath(new URL('../../site/main.ts', import.meta.url));

/** Creates a folder for a site. The caller deletes it. */
export async function siteFolder(): Promise<{ readonly path: string; end(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'vexil-site-'));
  return { path, end: () => rm(path, { recursive: true }) };
}

export function runSiteProgram(to: string, ...args: readonly string[]): Promise<Finished> {
  return runProgram(execPath, [PROGRAM, '--to', to, ...args]);
}

export interface SiteServer {
  /** The URL with the path of the site, without a slash at its end. */
  readonly url: string;
  stop(): void;
}

/** Serves the site below a path, as hosts of static pages do. */
export async function serveSite(folder: string): Promise<SiteServer> {
  const server = express().use('/vexil', express.static(folder)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/vexil`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
