/**
 * The addresses of receivers by their names. Node.js looks names up in two threads for the whole process, and a server
 * of names that a tenant chooses may take its time, so each namespace waits for itself.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** Rejects if the name has no address. */
export type Lookup = (name: string) => Promise<readonly LookupAddress[]>;

export interface Lookups {
  /** Those for the sinks of a namespace: one at a time. */
  in(namespace: string): Lookup;
}

export function createLookups(resolve: Lookup = (name) => lookup(name, { all: true })): Lookups {
  const limits = new Map<string, LimitFunction>();
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  return {
    in(namespace) {
      const limit = limits.get(namespace) ?? pLimit(1);
      limits.set(namespace, limit);
      return (name) => {
        const key = `${namespace} ${name}`;
        // Connections that are opened together need one lookup. It is not kept: the next one may have other addresses.
        const found = running.get(key) ?? limit(resolve, name).finally(() => running.delete(key));
        running.set(key, found);
        return found;
      };
    },
  };
}
