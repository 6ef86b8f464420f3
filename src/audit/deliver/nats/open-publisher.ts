/** Opens the connection of a sink to a NATS server. */
import { hostInUrl } from '../../../domain/sink/addresses.ts';
import { natsCredentialsOf } from '../../../domain/sink/nats-credentials.ts';
import { type ConnectorParts, checkedConnector } from '../checked-connector.ts';
import { connectionFailure } from '../receiver.ts';
import type { NatsPublisher, NatsPublisherParts } from './nats-publisher.ts';

export interface NatsParts extends ConnectorParts, Pick<NatsPublisherParts, 'subject' | 'idPrefix'> {
  /** `nats://HOST:PORT` or `tls://HOST:PORT`. */
  readonly url: string;
  /** What the Secret holds. */
  readonly credentials: string | undefined;
}

/** The client of NATS is a file of its own, so that others need no memory for it. */
const program = new URL(`./nats-publisher${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const DEFAULT_PORT = '4222';

export async function openNatsPublisher(parts: NatsParts): Promise<NatsPublisher> {
  const { createNatsPublisher } = (await import(program.href)) as typeof import('./nats-publisher.ts');
  const { url, credentials, timeoutMs } = parts;
  const host = hostInUrl(url);
  const port = URL.parse(url)?.port || DEFAULT_PORT;
  return createNatsPublisher({
    ...parts,
    server: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    isEncrypted: url.startsWith('tls:'),
    credentials: credentials === undefined ? undefined : natsCredentialsOf(credentials),
    connect: checkedConnector(parts),
    connectionFailure: (error) => connectionFailure(error, timeoutMs),
  });
}
