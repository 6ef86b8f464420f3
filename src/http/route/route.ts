/** An endpoint as data with one short function. */
import type { z } from 'zod';
import type { AccessRequest, Caller } from '../../access/caller.ts';
import type { EndpointNeed, TouchedByEndpoint } from '../../access/permitted.ts';
import type { Known, Requirement } from '../../access/requirements.ts';
import type { Services, SharedServices } from '../../actions/services.ts';
import type { ChangeStreams } from '../../delivery/change-streams.ts';
import type { Evaluations } from '../../delivery/evaluations.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ContextField } from '../../model/context-field.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import { project } from '../../schema/project.ts';
import type { SearchableArchive } from '../pages/readable-history.ts';
import type { Pages } from '../pages/response-cache.ts';
import type { UsageServices } from '../pages/usage-services.ts';

/** What all callers share: the services of actions, with what only endpoints need. */
export interface SharedRouteServices extends SharedServices {
  readonly pages: Pages;
  readonly history: SearchableArchive;
  readonly usage: UsageServices;
  /** The same that evaluate for browsers and OpenFeature. */
  readonly evaluations: Evaluations;
  /** With the built-in ones. */
  readonly contextFields: readonly ContextField[];
  readonly changes: ChangeStreams;
  /** Of every endpoint of the admin API. */
  readonly needs: readonly EndpointNeed[];
  /** For links; undefined: they are paths. */
  readonly publicUrl: string | undefined;
  /** Of Vexil. */
  readonly version: string;
}

/** What an endpoint works with, on behalf of its caller. */
export type RouteServices = Services<SharedRouteServices>;

export interface Input<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Answer as if, and write nothing. */
  readonly dryRun: boolean;
  /** The caller prefers a manifest to JSON. */
  readonly wantsManifest: boolean;
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
  /** The caller prefers CSV to JSON; only of an endpoint that has both. */
  readonly prefersCsv: boolean;
  /** The caller prefers JSON lines to JSON; only of an endpoint that offers its progress. */
  readonly prefersLines: boolean;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** The Last-Event-ID header. */
  readonly lastEventId: string | undefined;
  /** The caller by the same credentials, now. Throws if they are not good any more. */
  readonly reauthenticate: () => Promise<Caller>;
}

export interface RouteDefinition<P, Q, B> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/admin. */
  readonly path: string;
  /** What it does, in one sentence; for the OpenAPI document. */
  readonly summary: string;
  /** Limits, and differences from Unleash; Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The error codes of this endpoint, in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  /** Checked before the body is read. */
  readonly requires: Requirement<NoInfer<P>>;
  /** Further requirements, checked after the body is read. */
  readonly alsoRequires?: readonly Requirement<NoInfer<P>>[];
  /** Further access requests, one for each object that the body names; checked before the first write. */
  readonly requiresFromBody?: (
    known: Known,
    input: Pick<Input<NoInfer<P>, unknown, NoInfer<B>>, 'params' | 'body'>,
  ) => readonly AccessRequest[];
  /** The environments whose permission the caller needs. Absent: the environment in the path of a write, if any. */
  readonly touches?: TouchedByEndpoint;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The body is read as JSON whatever its content type says (docs/unleash-compatibility.md#requests). */
  readonly anyContentType?: boolean;
  /** The body may also be YAML, or a file in a form, of either kind; it has a limit of its own. */
  readonly acceptsUpload?: true;
  /** Clients send a body that says nothing new: whatever it is, it is not looked at, within the limit for bodies. */
  readonly ignoresBody?: boolean;
  readonly answer: 200 | 201 | 202 | 204;
  /** There is no version yet that a caller could have seen. An answer of 201 says so by itself. */
  readonly creates?: boolean;
  /** The shape of the answer; absent: it has no body. */
  readonly response?: z.ZodType;
  /** Content types of answers that are text, where the response does not say it all. */
  readonly texts?: readonly string[];
  /** The handler answers CSV to callers that prefer it. */
  readonly offersCsv?: true;
  /** The handler answers its progress as JSON lines to callers that prefer it. */
  readonly offersProgress?: true;
  /**
   * The answer is of any length, and the handler answers Pieces: lines with an item of that shape in each, or one
   * whole; `events`: an EventStream, which ends with its connection.
   */
  readonly streams?: 'lines' | 'whole' | 'events';
  /** It checks whether a write would be accepted. */
  readonly writesNothing?: true;
  /** The answer may lack parts that cannot be read; its Warning header names them. */
  readonly omitsUnreadable?: true;
  /** Answers have the header Deprecation (RFC 9745). */
  readonly deprecated?: true;
  /** Returns the answer. A Representation or Pieces are sent unchanged, any other value as JSON. */
  readonly handle: (services: RouteServices, input: Input<P, Q, B>) => unknown;
}

export type Route = RouteDefinition<unknown, unknown, unknown>;

const CHANGES: readonly unknown[] = ['create', 'patch'];

/** Whether a dry run of it can answer the objects as they would be. An import answers its plan. */
export function previewsObject({ method, requires, acceptsUpload, writesNothing }: Route): boolean {
  return method !== 'get' && CHANGES.includes(requires.verb) && !acceptsUpload && !writesNothing;
}

/** Whether what it previews names the members of a project. */
export function showsMembers({ requires }: Route): boolean {
  return requires.resource === project.plural && requires.verb === 'patch';
}

function writesFlag({ method, requires, acceptsUpload }: Route): boolean {
  return method !== 'get' && requires.resource === featureFlag.plural && !acceptsUpload;
}

/** An answer without content cannot have a manifest. */
export function previewStatus({ answer }: Route): number {
  return answer === 204 ? 200 : answer;
}

/** Whether it tells callers that named the version of a flag which version it has left. */
export function namesFlagVersion(route: Route): boolean {
  return writesFlag(route) && route.answer !== 201 && route.creates !== true;
}

export function needOf({ method, path, requires, alsoRequires = [], touches }: Route): EndpointNeed {
  const isInEnvironment = method !== 'get' && /:environment\b/.test(path);
  return {
    endpoint: `${method.toUpperCase()} ${path}`,
    requires,
    alsoRequires,
    touches: touches ?? (isInEnvironment ? 'named' : undefined),
  };
}

/** Checks the types of one endpoint, then forgets them: the server treats all endpoints alike. */
export function route<P, Q, B>(definition: RouteDefinition<P, Q, B>): Route {
  return definition as Route;
}
