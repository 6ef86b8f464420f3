/** An endpoint for SDKs as data with one short function. */
import type { z } from 'zod';
import type { KnownToken } from '../../access/known-tokens.ts';
import type { SdkCaller, SdkRequest } from '../../access/sdk-callers.ts';
import type { Answers } from '../../delivery/answers.ts';
import type { Feeds } from '../../delivery/feeds.ts';
import type { Notices } from '../../delivery/notices.ts';
import type { ObserveStreams, Streams } from '../../delivery/streams.ts';
import type { ErrorCode } from '../../errors.ts';
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
  /** Those of the values that are tokens of SDKs. Throws while that is not certain. */
  readonly knownTokens: (values: readonly string[]) => Promise<readonly KnownToken[]>;
  readonly observe: ObserveSdks;
  /** Stores what SDKs report. */
  readonly reports: Reports;
}

/** What SDKs report and read, for metrics. */
export interface ObserveSdks {
  readonly streams: ObserveStreams;
  /** A poll or a stream got everything. */
  readonly hydrated: (by: 'delta' | 'streaming') => void;
  /** An admitted request, by kind of endpoint. */
  readonly asked: (environment: string, endpoint: EndpointKind) => void;
  readonly counted: (environment: string, counts: Counts) => void;
  /** A report that is not counted, as it cannot be read. */
  readonly unreadable: (route: string) => void;
}

/** In metrics. */
export type EndpointKind = 'client' | 'frontend' | 'ofrep' | 'report' | 'stream';

export interface Asker {
  /** What the caller may read. */
  readonly scope: SdkCaller;
  /** The address of the caller. */
  readonly from: () => string | undefined;
  /** What the SDK says of itself. */
  readonly headers: SdkHeaders;
}

interface Input<P, Q, B> extends Asker {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The caller knows no segments. */
  readonly inlinesSegments: boolean;
  /** The id of the changes that the caller has. */
  readonly known: string | undefined;
}

/**
 * Whose endpoint it is; `provider`: that of OpenFeature, by OFREP; `address`: of the same, with an address that stands
 * for its token.
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
  /** From the root. */
  readonly path: string;
  /** What it does, in one sentence; for the OpenAPI document. */
  readonly summary: string;
  /** Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The codes of its own refusals, beside those that any endpoint may answer. */
  readonly errors: readonly ErrorCode[];
  /** `anyone`: without a token; the scope is empty. */
  readonly caller: ClientCaller | 'anyone';
  /** Requests count against the limit for SDKs. */
  readonly isLimited: boolean;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The body is a context, which is small. */
  readonly isContext?: true;
  /** SDKs stop reporting after one refusal: a body that cannot be read answers as one that can, and is not handled. */
  readonly isReport?: true;
  /** The answer ends with its connection. */
  readonly streams?: true;
  /** A caller that asks for it is sent from polling to streaming. */
  readonly leadsToStreams?: true;
  readonly answer: 200 | 202;
  /** The shape of the answer; absent: it has no body. */
  readonly response?: z.ZodType;
  /** A Representation, a ChangingAnswer or an EventStream is sent as it is; any other value as JSON. */
  readonly handle: (services: ClientServices, input: Input<P, Q, B>) => unknown;
}

export type ClientRoute = ClientRouteDefinition<unknown, unknown, unknown>;

/** Whether it takes tokens that everyone may know. Pages of other origins may call it. */
export function isPublic({ caller }: ClientRoute): boolean {
  return caller !== 'anyone' && tokenTypesFor[caller].includes('frontend');
}

/** Whether the answer has an ETag: the same question has the same answer until flags change. */
export function isQuestion({ method, caller, response }: ClientRoute): boolean {
  return method === 'get' || (caller !== 'anyone' && response !== undefined);
}

/** Undefined: it is for no environment. */
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

/** Checks the types of one endpoint, then forgets them: the server treats all endpoints alike. */
export function clientRoute<P, Q, B>(definition: ClientRouteDefinition<P, Q, B>): ClientRoute {
  return definition as ClientRoute;
}
