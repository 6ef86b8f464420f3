/** The parts of scripts of calls. */
import type { Call } from '../../../src/kube/api/transport.ts';

/** What a client knows of a server, by paths. */
export interface Known {
  readonly objects: ReadonlyMap<string, KnownObject>;
  /** Lists with more pages. */
  readonly pages: ReadonlyMap<string, KnownPage>;
}

export interface KnownObject {
  readonly uid: string;
  /** All that it has seen, the oldest first. */
  readonly versions: readonly string[];
}

export interface KnownPage {
  readonly token: string;
  /** That of the first page. */
  readonly version: string;
}

export interface Choice {
  readonly name: string;
  readonly isStale: boolean;
  readonly number: number;
  readonly flag: boolean;
}

/** What a client knows of the place of a call. */
export interface CallPlace {
  readonly namespace: string;
  /** The path of the list. */
  readonly all: string;
  /** The path of the object. */
  readonly one: string;
  readonly uid: string | undefined;
  /** A version that the client has seen: the last one, or an earlier one. */
  readonly version: string;
  readonly pages: Known['pages'];
}

/** A call to the place, or a watch. */
export type ScriptedCall = (choice: Choice, place: CallPlace) => Call;

export interface ScriptedCalls {
  /** The path of the list in a namespace. */
  readonly path: (namespace: string) => string;
  readonly calls: Readonly<Record<string, ScriptedCall>>;
}

/** Greater than any that a test reaches. */
export const VERSION_TO_COME = '999999999';

export const WITH_LIST = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };

export function aWatch(path: string, query: NonNullable<Call['query']>): Call {
  return { method: 'GET', path, query: { watch: true, allowWatchBookmarks: true, timeoutSeconds: 300, ...query } };
}

export const MERGE_PATCH = 'application/merge-patch+json';

/** The next page of a list of which the client has seen one, or the first page. */
export function pageOf({ all, pages }: Pick<CallPlace, 'all' | 'pages'>, query: NonNullable<Call['query']>): Call {
  const { labelSelector } = query;
  const known = pages.get(pageKeyOf({ path: all, query }));
  const next = known && { limit: 1, continue: known.token, labelSelector };
  return { method: 'GET', path: all, query: next ?? { limit: 1, ...query } };
}

export function pageKeyOf({ path, query }: Pick<Call, 'path' | 'query'>): string {
  return `${path}?${query?.['labelSelector'] ?? ''}`;
}
