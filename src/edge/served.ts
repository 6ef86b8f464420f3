/** What an edge is made from. */
import type { Logger } from '../telemetry/logger.ts';
import type { Reports } from '../usage/reports.ts';
import type { ClientDocument } from '../wire/client/read-document.ts';
import type { EdgeAccess } from './access.ts';
import type { SubscriptionState } from './subscriptions.ts';

export interface EdgeRuntime {
  readonly version: string;
  readonly logger: Logger;
  /** The environment, for the names of proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with an error that is a bug. */
  readonly onFault: (error: unknown) => void;
  /** Reads manifests as documents, by the name of the environment; undefined: this program cannot. */
  readonly readManifests?: ((path: string) => Promise<ReadonlyMap<string, ClientDocument>>) | undefined;
}

/** Where the flags come from, and who may read them. */
export interface Served {
  readonly access: EdgeAccess;
  readonly states: () => readonly SubscriptionState[];
  /** What is missing in addition to states that are not there; each a sentence without its point. */
  readonly missing: () => readonly string[];
  readonly reports: Reports;
  /** Resolves when the edge stops. */
  readonly run: () => Promise<unknown>;
  /** Called after the last request. */
  readonly stop: () => Promise<void>;
}
