/** Serves a bundle with its index on loopback, as the release pages do. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import { readPins } from '../../../scripts/tools/pins.ts';
import { currentPlatform } from '../../../scripts/tools/platform.ts';

export interface ReleaseServer {
  /** The address of the index. */
  readonly index: string;
  close(): Promise<void>;
}

export interface ReleaseOptions {
  /** The releases in the index, without `v`; the pinned one by default. */
  readonly versions?: readonly string[];
  /** The hash in the index; the correct one by default. */
  readonly hash?: string;
  /** Answers requests for the bundle instead of the server. */
  readonly answer?: RequestListener;
}

/** Serves the bundle as the release of the pinned version for this platform. */
export async function serveRelease(bundle: Buffer, options: ReleaseOptions = {}): Promise<ReleaseServer> {
  const { hash = createHash('sha512').update(bundle).digest('hex'), answer } = options;
  const { versions = [await pinnedVersion()] } = options;

  const server = createServer((request, response) => {
    if (request.url === '/index.yaml') {
      response.end(indexOf({ versions, hash, address: `http://${request.headers.host}` }));
    } else if (answer) {
      answer(request, response);
    } else {
      response.end(bundle);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    index: `http://127.0.0.1:${port}/index.yaml`,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pinnedVersion(): Promise<string> {
  return readPins(await readFile(new URL('../../controlplane/go.mod', import.meta.url), 'utf8')).kubernetes;
}

interface IndexFacts {
  readonly versions: readonly string[];
  readonly hash: string;
  readonly address: string;
}

function indexOf({ versions, hash, address }: IndexFacts): string {
  const { os, arch } = currentPlatform();
  const releases = versions.map((version) => {
    const name = `envtest-v${version}-${os}-${arch}.tar.gz`;
    return [`v${version}`, { [name]: { hash, selfLink: `${address}/${name}` } }];
  });
  return stringify({ releases: Object.fromEntries(releases) });
}
