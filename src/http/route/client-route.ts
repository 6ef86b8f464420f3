/** An endpoint for SDKs as data with one short function. */

import type { z } from 'zod';
import type { KnownToken, TokenSender } from '../../access/authentication/known-tokens.ts';
import type { SdkCaller, SdkRequest } from '../../access/authentication/sdk-callers.ts';
import type { Answers } from '../../delivery/answers.ts';
import type { Feeds } from '../../delivery/feeds.ts';
import type { Notices } from '../../delivery/notices.ts';
import type { ObserveStreams, Streams } from '../../delivery/streams.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Turn } from '../../runtime/turns.ts';
import type { Reports } from '../../usage/reports.ts';
import type { Counts } from '../../wire/client/report.ts';
import type { SdkHeaders } from '../../wire/client/reported-usage.ts';
import type { ClientPages } from '../pages/client-pages.ts';
import type { Route } from './route.ts';

/** What endpoints for SDKs work with. */
export interface ClientServices {
  readonly pages: ClientPages;
  readonly feeds: Feeds;
  readonly notices: Notices;
  readonly streams: Streams;
  /** A reader of a stream that takes nothing for this time is disconnected. */
  readonly stalledMs: number;
  readonly answers: Answers;
  readonly newSessionId: () => string;
  /** The values that are tokens of SDKs. Throws while that is not certain. */
  readonly knownTokens: (values: readonly string[], sender: TokenSender) => Promise<readonly KnownToken[]>;
  readonly observe: ObserveSdks;
  /** Stores what SDKs report. */
  readonly reports: Reports;
  /** When the flags were last known to be good, in ms since 1970; absent: they are. */
  readonly goodAt?: (() => number | undefined) | undefined;
}

/** Receives what SDKs report and read, for metrics. */
export interface ObserveSdks {
  readonly streams: ObserveStreams;
  /** A poll or a stream has sent everything. */
  readonly hydrated: (by: 'delta' | 'streaming') => void;
  /** An admitted request, by kind of endpoint. */
  readonly asked: (environment: string, endpoint: EndpointKind) => void;
  readonly counted: (environment: string, counts: Counts) => void;
  /** A report was not counted, because it cannot be read. */
  readonly unreadable: (route: string) => void;
}

/** The kinds of endpoints in metrics. */
export type EndpointKind = 'client' | 'frontend' | 'ofrep' | 'report' | 'stream';

export interface SdkRequester {
  /** What the caller may read. */
  readonly scope: SdkCaller;
  /** The address of the caller. */
  readonly from: () => string | undefined;
  /** What the SDK states about itself. */
  readonly headers: SdkHeaders;
  /** Counts wrong tokens in the body against the limit of the address. */
  readonly countRefused: (tokens: number) => void;
  /** For work that may take long. Throws once the caller has disconnected. */
  readonly turn: Turn;
}

interface ClientInput<P, Q, B> extends SdkRequester {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Whether the caller knows no segments. */
  readonly inlinesSegments: boolean;
  /** Whether the caller is an edge. */
  readonly isForEdge: boolean;
  /** The id of the changes that the caller has. */
  readonly known: string | undefined;
}

/**
 * The callers of the endpoint. `provider`: an OpenFeature provider that uses OFREP. `address`: such a provider, with an
 * address that replaces its token.
 */
type ClientCaller = 'sdk' | 'browser' | 'provider' | 'address';

export const tokenTypesFor: Readonly<Record<ClientCaller, SdkRequest['types']>> = {
  sdk: ['client'],
  browser: ['frontend'],
  provider: ['client', 'frontend'],
  address: ['client', 'frontend'],
};

export interface ClientRouteDefinition<P, Q, B> {
  readonly method: 'get' | 'post';
  /** The path from the root. */
  readonly path: string;
  /** What the endpoint does, in one sentence; for the OpenAPI document. */
  readonly summary: string;
  /** Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The codes of the endpoint's own refusals, in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  /** `anyone`: no token is needed, and the scope is empty. */
  readonly caller: ClientCaller | 'anyone';
  /** Whether requests count against the limit for SDKs. */
  readonly isLimited: boolean;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The body is a context, which is small. */
  readonly isContext?: true;
  /**
   * SDKs stop reporting after one refusal: a body that cannot be read gets the same answer as one that can, and is not
   * handled.
   */
  readonly isReport?: true;
  /** Whether the answer ends with its connection. */
  readonly streams?: true;
  /** A caller that requests it is sent from polling to streaming. */
  readonly leadsToStreams?: true;
  readonly answer: 200 | 202;
  /** The shape of the answer; absent if it has no body. */
  readonly response?: z.ZodType;
  /** A Representation, a ChangingAnswer or an EventStream is sent as it is; any other value as JSON. */
  readonly handle: (services: ClientServices, input: ClientInput<P, Q, B>) => unknown;
}

export type ClientRoute = ClientRouteDefinition<unknown, unknown, unknown>;

/** Whether the endpoint takes tokens that everyone may know. Pages of other origins may call it. */
export function isPublic({ caller }: ClientRoute): boolean {
  return caller !== 'anyone' && tokenTypesFor[caller].includes('frontend');
}

/** Whether the answer has an ETag: the same request gets the same answer until flags change. */
export function isQuestion({ method, caller, response }: ClientRoute): boolean {
  return method === 'get' || (caller !== 'anyone' && response !== undefined);
}

/** Undefined if the endpoint is for no environment. */
export function endpointKindOf({ caller, isReport, streams }: ClientRoute): EndpointKind | undefined {
  if (isReport) return 'report';
  if (streams) return 'stream';
  return endpointKinds[caller];
}

const endpointKinds = {
  sdk: 'client',
  browser: 'frontend',
  provider: 'ofrep',
  address: 'stream',
  anyone: undefined,
} as const satisfies Record<ClientRoute['caller'], EndpointKind | undefined>;

/** The token that a caller needs, in words. */
export function tokenNeeded({ caller }: ClientRoute): string | undefined {
  if (caller === 'anyone') return undefined;
  const types = tokenTypesFor[caller].join(' or ');
  return caller === 'address' ? `an address that was given to a ${types} token` : `a ${types} token`;
}

/** An endpoint for SDKs, or one of the admin API. */
export type AnyRoute = Route | ClientRoute;

export function isClientRoute(route: AnyRoute): route is ClientRoute {
  return 'caller' in route;
}

/** The methods that the endpoint answers, as requests have them. */
export function methodsOf({ method }: Pick<AnyRoute, 'method'>): readonly string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}

/** Checks the types of one endpoint, then forgets them: the server treats all endpoints alike. */
export function clientRoute<P, Q, B>(definition: ClientRouteDefinition<P, Q, B>): ClientRoute {
  return definition as ClientRoute;
}
