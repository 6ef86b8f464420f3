/** An endpoint as data with one short function. */

import type { z } from 'zod';
import type { EndpointNeed, TouchedByEndpoint } from '../../access/authorization/permitted.ts';
import type { Known, Requirement } from '../../access/authorization/requirements.ts';
import type { AccessRequest, Caller } from '../../access/caller.ts';
import type { CallerServices, SharedServices } from '../../actions/services.ts';
import type { Forgetting } from '../../audit/forget/forgetting.ts';
import type { ChangeStreams } from '../../delivery/change-streams.ts';
import type { Evaluations } from '../../delivery/evaluations.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ContextField } from '../../model/context-field.ts';
import type { Turn } from '../../runtime/turns.ts';
import { environment } from '../../schema/environment.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import { project } from '../../schema/project.ts';
import { segment } from '../../schema/segment.ts';
import type { KnownUsage } from '../../usage/known-usage.ts';
import type { UsageReader } from '../../usage/usage.ts';
import type { UsageLookups } from '../../usage/usage-lookups.ts';
import type { PastQuestion, TimeTravel, UncertainFlag } from '../pages/past.ts';
import type { SearchableArchive } from '../pages/readable-history.ts';
import type { Pages } from '../pages/response-cache.ts';
import type { CSV_TYPE } from '../server/answer/csv.ts';
import type { MANIFEST_TYPE } from '../server/answer/representation.ts';
import type { LINES_TYPE } from '../server/answer/send-pieces.ts';

/** The services that all callers share: those of actions, and those that only endpoints need. */
export interface SharedRouteServices extends SharedServices {
  readonly pages: Pages;
  readonly history: SearchableArchive;
  readonly forgetting: Forgetting;
  readonly past: TimeTravel;
  /** The time that the answer is about, in ms since 1970; undefined: the present. */
  readonly asOf: number | undefined;
  /** For a handler that has the services of a past time: those of `pastTo`, or of the present. */
  readonly other?: RouteServices;
  /** The flags of the past time that may have been otherwise. */
  readonly uncertainFlags?: readonly UncertainFlag[];
  readonly usage: UsageServices;
  readonly sinks: { all(): Iterable<NotificationSink> };
  /** The evaluations that also serve browsers and OpenFeature. */
  readonly evaluations: Evaluations;
  /** All context fields, including the built-in ones. */
  readonly contextFields: readonly ContextField[];
  /** The form of the answers of a search for users. */
  readonly userSearch: 'object' | 'list';
  readonly changes: ChangeStreams;
  /** The needs of every endpoint of the admin API. */
  readonly needs: readonly EndpointNeed[];
  /** The version of Vexil. */
  readonly version: string;
}

/** The services of an endpoint on behalf of its caller. */
export interface RouteServices extends SharedRouteServices, CallerServices {}

export interface Input<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The request is answered as if it wrote, and writes nothing. */
  readonly dryRun: boolean;
  /** The caller prefers a manifest to JSON. */
  readonly wantsManifest: boolean;
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
  /** The caller prefers CSV to JSON; only for an endpoint whose texts have it. */
  readonly prefersCsv: boolean;
  /** The caller prefers JSON lines to JSON; only for an endpoint whose texts have them. */
  readonly prefersLines: boolean;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** For work that may take long. Throws once the caller has disconnected. */
  readonly turn: Turn;
  /** The Last-Event-ID header. */
  readonly lastEventId: string | undefined;
  /** Authenticates the caller again by the same credentials. Throws if they are not valid any more. */
  readonly reauthenticate: () => Promise<Caller>;
}

export interface RouteDefinition<P, Q, B> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below /api/admin. */
  readonly path: string;
  /** What the endpoint does, in one sentence; for the OpenAPI document. */
  readonly summary: string;
  /** Limits, and differences from Unleash; Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The error codes of this endpoint, in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  /** The requirement that is checked before the body is read. */
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
  /** The body may also be YAML or a file in a form; it has a limit of its own. */
  readonly acceptsUpload?: true;
  /** Clients send a redundant body: it is ignored, whatever it is, within the limit for bodies. */
  readonly ignoresBody?: boolean;
  readonly answer: 200 | 201 | 202 | 204;
  /** Whether there is no version yet that a caller could have seen; by default if the answer is 201. */
  readonly creates?: boolean;
  /** The shape of the answer; absent if it has no body. */
  readonly response?: z.ZodType;
  /**
   * Content types of text answers, if the response does not describe them all. The handler answers manifests, CSV and
   * JSON lines to callers that prefer them.
   */
  readonly texts?: readonly (typeof MANIFEST_TYPE | typeof CSV_TYPE | typeof LINES_TYPE | 'text/yaml' | 'text/plain')[];
  /**
   * The answer has any length, and the handler returns Pieces: `lines`: an item of the shape in each line; `whole`: a
   * single item. `events`: the handler returns an EventStream, which ends with its connection.
   */
  readonly streams?: 'lines' | 'whole' | 'events';
  /** The endpoint checks whether a write would be accepted. */
  readonly writesNothing?: true;
  /** The answer may lack parts that cannot be read; its Warning header names them. */
  readonly omitsUnreadable?: true;
  /** A dry run answers what would be written as a plan, not as an object. */
  readonly answersPlan?: true;
  /** Answers have the header Deprecation (RFC 9745). */
  readonly deprecated?: true;
  /**
   * What the request wants to know about a past time; undefined: the present. The handler has the services of then.
   * `now` is in ms since 1970.
   */
  readonly past?: (
    input: Pick<Input<NoInfer<P>, NoInfer<Q>, NoInfer<B>>, 'params' | 'query' | 'body'>,
    now: number,
  ) => PastQuestion | undefined;
  /** A second past time, to compare with; undefined: the present. */
  readonly pastTo?: RouteDefinition<P, Q, B>['past'];
  /** The reason that the history has for a write; `said` is that of the caller. Absent: what the caller says. */
  readonly reason?: (
    input: Pick<Input<NoInfer<P>, NoInfer<Q>, NoInfer<B>>, 'params' | 'query' | 'body'>,
    said: string | undefined,
  ) => string;
  /** Returns the answer. A Representation or Pieces are sent unchanged, any other value as JSON. */
  readonly handle: (services: RouteServices, input: Input<P, Q, B>) => unknown;
}

export type Route = RouteDefinition<unknown, unknown, unknown>;

const CHANGES: readonly unknown[] = ['create', 'patch'];

/** Whether a dry run of the endpoint can answer the resulting objects. An import answers its plan instead. */
export function previewsObject({ method, requires, acceptsUpload, answersPlan, writesNothing }: Route): boolean {
  const isPlan = acceptsUpload || answersPlan || writesNothing;
  return method !== 'get' && CHANGES.includes(requires.verb) && !isPlan;
}

/** Whether the preview contains the members of a project. */
export function showsMembers({ requires }: Route): boolean {
  return requires.resource === project.plural && requires.verb === 'patch';
}

function writesFlag({ method, requires, acceptsUpload }: Route): boolean {
  return method !== 'get' && requires.resource === featureFlag.plural && !acceptsUpload;
}

const SETTLED: readonly string[] = [segment.plural, project.plural];

/** Whether the request can ask for approval: an object that does not exist yet cannot be changed. */
export function asksForChange({ method, path, requires }: Route): boolean {
  if (SETTLED.includes(requires.resource ?? '')) return requires.verb === 'patch';
  // An order of environments is no change of what is in effect.
  if (requires.resource === environment.plural) return requires.verb === 'patch' && path.includes(':environment');
  const isOfFlag = path.includes(':featureName') && requires.resource === featureFlag.plural;
  return method !== 'get' && isOfFlag && requires.verb !== 'create' && requires.verb !== 'get';
}

/** The status of an answer with a change request, which no other answer with content has. */
export function askedStatus({ answer }: Route): number {
  return answer === 202 ? 200 : 202;
}

/** An answer without content cannot have a manifest. */
export function previewStatus({ answer }: Route): number {
  return answer === 204 ? 200 : answer;
}

/** Whether the endpoint compares `If-Match` with the version of what it changes. */
export function comparesVersions({ method, answer, creates = answer === 201 }: Route): boolean {
  return method !== 'get' && !creates;
}

/** Whether the answer contains the resulting version of the flag for callers that named the previous one. */
export function namesFlagVersion(route: Route): boolean {
  return writesFlag(route) && comparesVersions(route);
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

interface UsageServices {
  readonly reader: UsageReader;
  readonly known: Pick<KnownUsage, 'unknown' | 'measured'>;
  readonly lookups: UsageLookups;
}
