/** Streams of a NATS server, as a consumer sees them. */
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { NatsConnectionImpl, usernamePasswordAuthenticator } from '@nats-io/nats-core/internal';
import pLimit from 'p-limit';
import { buildConnector } from 'undici';
// The library has one setting of transports, which this module sets.
import '../../src/audit/deliver/nats/nats-publisher.ts';
import type { GuardedOptions } from '../../src/audit/deliver/nats/nats-transport.ts';

/** Each request has five seconds for its answer. */
const READ_AT_A_TIME = 100;

export interface StoredMessage {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface NatsStreams {
  readonly manager: JetStreamManager;
  add(name: string, subjects: readonly string[], config?: object): Promise<void>;
  /** All messages of a stream, in their order. */
  messages(name: string): Promise<readonly StoredMessage[]>;
  close(): Promise<void>;
}

/** `user`: name and password. */
export async function natsStreams(url: string, user?: readonly [string, string]): Promise<NatsStreams> {
  const options: GuardedOptions = {
    guard: { connect: buildConnector({}), socket: undefined, left: Number.POSITIVE_INFINITY },
    servers: new URL(url).host,
    authenticator: user ? [usernamePasswordAuthenticator(...user)] : [],
  };
  const connection = await NatsConnectionImpl.connect(options);
  const manager = await jetstreamManager(connection);
  return {
    manager,
    async add(name, subjects, config = {}) {
      await manager.streams.add({ name, subjects: [...subjects], ...config });
    },
    async messages(name) {
      const { state } = await manager.streams.info(name);
      const numbers = Array.from({ length: state.last_seq }, (_, index) => index + 1);
      const limit = pLimit(READ_AT_A_TIME);
      const found = await limit.map(numbers, (seq) => manager.streams.getMessage(name, { seq }));
      return found.flatMap((message) => {
        if (message === null) return [];
        const headers = Object.fromEntries([...message.header].map(([key, values]) => [key, values.join(', ')]));
        return [{ subject: message.subject, headers, body: message.string() }];
      });
    },
    close: () => connection.close(),
  };
}
