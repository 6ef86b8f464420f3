/** An endpoint as data with one short function. */
import type { z } from 'zod';
import type { AccessRequest } from '../../access/caller.ts';
import type { Known, Requirement } from '../../access/requirements.ts';
import type { Services, SharedServices } from '../../actions/services.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ContextField } from '../../model/context-field.ts';
import type { SearchableArchive } from '../pages/readable-history.ts';
import type { Pages } from '../pages/response-cache.ts';

/** What all callers share: the services of actions, with what only endpoints need. */
export interface SharedRouteServices extends SharedServices {
  readonly pages: Pages;
  readonly history: SearchableArchive;
  /** With the built-in ones. */
  readonly contextFields: readonly ContextField[];
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
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface RouteDefinition<P, Q, B> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/admin. */
  readonly path: string;
  /** What it does, in one sentence; for the OpenAPI document. */
  readonly summary: string;
  /** Limits, and differences from Unleash; Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The codes of its own refusals, beside those that any endpoint may answer. */
  readonly errors: readonly ErrorCode[];
  /** Answered before anything of the body is read. */
  readonly requires: Requirement<NoInfer<P>>;
  /** What else is asked, for each object that it touches; answered once the body is read, before anything of it is done. */
  readonly requiresFromBody?: (
    known: Known,
    input: Pick<Input<NoInfer<P>, unknown, NoInfer<B>>, 'params' | 'body'>,
  ) => readonly AccessRequest[];
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
  /** The answer is of any length, and the handler answers Pieces: lines with an item of that shape in each, or one whole. */
  readonly streams?: 'lines' | 'whole';
  /** The answer may be without parts that cannot be read, and says so (Warning). */
  readonly omitsUnreadable?: true;
  /** Better not used any more: answers say so (RFC 9745). */
  readonly deprecated?: true;
  /** A Representation is sent as it is, and so are Pieces; any other value as JSON. */
  readonly handle: (services: RouteServices, input: Input<P, Q, B>) => unknown;
}

export type Route = RouteDefinition<unknown, unknown, unknown>;

/** Checks the types of one endpoint, then forgets them: the server treats all endpoints alike. */
export function route<P, Q, B>(definition: RouteDefinition<P, Q, B>): Route {
  return definition as Route;
}
