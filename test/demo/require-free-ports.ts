/** Checks that the operator can listen on its ports. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Address } from './settings.ts';

/** Throws an error with instructions if another program listens on one of the addresses. */
export async function requireFreePorts(addresses: readonly Address[]): Promise<void> {
  for (const address of addresses) await requireFree(address);
}

async function requireFree({ host, port, variable }: Address): Promise<void> {
  const server = createServer();
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const reason = taken ? 'another program listens there' : String(error);
    throw new Error(
      `The operator cannot listen on port ${port} (${host ?? 'all addresses'}): ${reason}.\n` +
        `Choose another port with ${variable}, or take any free one: ${variable}=0 make demo`,
    );
  }
  server.close();
  await once(server, 'close');
}
