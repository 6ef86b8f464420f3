/** Tells connections beyond a limit from others. They may be told so, and asked whether the process lives. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimit {
  /** Counts the connections of the server from now on; `event` is the one that it emits for each. */
  count(server: Pick<Server, 'on' | 'maxConnections'>, event: 'connection' | 'secureConnection'): void;
  /** Whether the limit was reached when the connection came. */
  isBeyond(socket: Socket): boolean;
}

/** Connections beyond the limit are short: when there are as many of them, further ones are closed at once. */
const HARD_LIMIT = 2;

export function createConnectionLimit(limit: number): ConnectionLimit {
  const beyond = new WeakSet<Socket>();
  let within = 0;
  return {
    count(server, event) {
      server.maxConnections = HARD_LIMIT * limit;
      server.on(event, (socket: Socket) => {
        if (within >= limit) {
          beyond.add(socket);
          return;
        }
        within += 1;
        socket.once('close', () => {
          within -= 1;
        });
      });
    },
    isBeyond: (socket) => beyond.has(socket),
  };
}
