/** Connects to the receiver of a sink if its address is allowed. */
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Lookup } from './lookups.ts';

export interface ConnectorParts {
  /** Why an address is not connected to; undefined: it is. */
  readonly refusalOf: (address: string) => string | undefined;
  readonly lookup: Lookup;
  /** For everything from the name to the end of the answer. */
  readonly timeoutMs: number;
}

/** The address is not connected to; the message says why. */
export class RefusedAddress extends Error {}

/** The addresses of a name are judged where they are used, so a name cannot change between judging and connecting. */
export function checkedConnector({ refusalOf, lookup, timeoutMs }: ConnectorParts): buildConnector.connector {
  const checkedLookup: LookupFunction = (host, options, callback) => {
    const take = (addresses: Awaited<ReturnType<Lookup>>) => {
      const refusal = addresses.map(({ address }) => refusalOf(address)).find((one) => one !== undefined);
      if (refusal !== undefined) return callback(new RefusedAddress(refusal), []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, [...addresses]);
      callback(null, first.address, first.family);
    };
    lookup(host).then(take, (error: NodeJS.ErrnoException) => callback(error, []));
  };
  const connect = buildConnector({ lookup: checkedLookup, timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const refusal = isIP(host) === 0 ? undefined : refusalOf(host);
    if (refusal !== undefined) return callback(new RefusedAddress(refusal), null);
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const refused = refusalOf(socket.remoteAddress ?? '');
      if (refused === undefined) return callback(null, socket);
      socket.destroy();
      callback(new RefusedAddress(refused), null);
    });
  };
}
