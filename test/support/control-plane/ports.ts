/** Free TCP ports on the loopback address. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Ports below those that operating systems give to outgoing connections. From there a client that keeps dialling a
// stopped server on loopback would sooner or later be connected to itself, so that the server could not return.
const LOWEST = 12_000;
const HIGHEST = 29_999;

/** Finds that many different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const candidate = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(candidate)) ports.add(candidate);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
