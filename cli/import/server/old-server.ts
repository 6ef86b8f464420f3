/** Reads from the admin API of a running Unleash, and writes nothing there. */
import { sizeBound } from '../../connection/pages.ts';
import { getPatiently, type PatientGet, serverAddress } from '../../connection/patient-get.ts';

export interface OldServer {
  /** For messages. */
  readonly address: string;
  /** Resolves with the parsed body; undefined if this edition or version has no such path. */
  get(path: string): Promise<unknown>;
}

export interface OldServerOptions extends Omit<PatientGet, 'wantedToken' | 'count'> {
  readonly url: string;
}

/** Throws a Failure if the address is none. */
export function connectOldServer(options: OldServerOptions): OldServer {
  const address = serverAddress(options.url);
  const wantedToken = 'an admin token, or that of a user with the role Admin';
  const calls = { ...options, wantedToken, count: sizeBound(address) };
  return { address, get: (path) => getPatiently(`${address}/api/admin${path}`, calls) };
}
