/** The connection of one sink to a NATS server, with the limits that an address of a tenant needs. */
import { isIP, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  Kind,
  MsgImpl,
  Parser,
  type ParserEvent,
  type TlsOptions,
} from '@nats-io/nats-core/internal';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import type { buildConnector } from 'undici';

export interface GuardedOptions extends ConnectionOptions {
  readonly guard: Guard;
}

export interface Guard {
  /** Judges addresses. */
  readonly connect: buildConnector.connector;
  /** Without TLS; undefined: not connected yet. */
  socket: Socket | undefined;
  /** Bytes that the server may still send. */
  left: number;
}

/** What a server may send before a connection is established, and for each message: a hundred bytes are usual. */
export const MAX_SENT_BYTES = 64 * 1024;

/**
 * The library has no limit of what a server sends, and writes to the console what it cannot read, so both end here.
 * It reads a setting of the module, not of a connection, so the guard is one of the options.
 */
export class NatsTransport extends NodeTransport {
  #host = '';

  override connect(
    server: Parameters<NodeTransport['connect']>[0],
    options: Parameters<NodeTransport['connect']>[1],
  ): Promise<void> {
    this.#host = server.hostname;
    // There is no server name for an address (RFC 6066).
    return super.connect({ ...server, tlsName: isIP(server.hostname) === 0 ? server.hostname : '' }, options);
  }

  /** The certificate is for the name or the address in the URL. */
  override startTLS(): ReturnType<NodeTransport['startTLS']> {
    const tls: TlsOptions & { readonly host: string } = { host: this.#host };
    this.options = { ...this.options, tls };
    return super.startTLS();
  }

  get #guard(): Guard {
    return (this.options as GuardedOptions).guard;
  }

  override dial({ hostname, port }: Parameters<NodeTransport['dial']>[0]): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    this.#guard.connect({ hostname, host: hostname, protocol: 'http:', port: String(port) }, (...[error, socket]) => {
      if (error) return reject(error);
      this.#guard.socket = socket;
      resolve(socket);
    });
    return promise;
  }

  override peekInfo(): ReturnType<NodeTransport['peekInfo']> {
    const { socket } = this;
    const info = super.peekInfo();
    socket.on('data', () => {
      if (socket.bytesRead > MAX_SENT_BYTES) socket.destroy();
    });
    return info;
  }

  override async *iterate(): AsyncIterableIterator<Uint8Array> {
    const guard = this.#guard;
    const parser = new Parser({ push: requireReadable });
    for await (const bytes of super.iterate()) {
      guard.left -= bytes.length;
      if (guard.left < 0 || !isReadable(parser, bytes)) {
        this.disconnect();
        return;
      }
      yield bytes;
    }
  }
}

function isReadable(parser: Parser, bytes: Uint8Array): boolean {
  try {
    parser.parse(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Reads what the library reads. */
function requireReadable(event: ParserEvent): void {
  if (event.kind === Kind.INFO) {
    const { version } = JSON.parse(new TextDecoder().decode(event.data));
    if (!/\d+.\d+.\d+/.test(version)) throw new SyntaxError('the version of the server is not readable');
  } else if (event.msg && event.data) {
    new MsgImpl(event.msg, event.data, { publish: () => undefined }).headers?.code;
  }
}
