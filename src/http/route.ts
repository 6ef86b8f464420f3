/** An endpoint as data with one short function. */
import type { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import type { ErrorCode } from '../errors.ts';
import type { Resource } from '../kube/resource.ts';
import type { SecretsClient } from '../kube/secrets.ts';
import type { ApiTokenSpec, ApiTokenStatus } from '../schema/api-token.ts';
import type { EnvironmentSpec, EnvironmentStatus } from '../schema/environment.ts';
import type { FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { ProjectSpec, ProjectStatus } from '../schema/project.ts';
import type { StrategyDefinitionSpec, StrategyDefinitionStatus } from '../schema/strategy-definition.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { History } from './history.ts';
import type { Asks, Known } from './identity/asks.ts';
import type { Ask, Caller } from './identity/caller.ts';
import type { Writable } from './identity/written-by.ts';
import type { Pages } from './pages.ts';
import type { Taking } from './taking.ts';

/** What all callers share. */
export interface SharedServices {
  readonly catalog: Catalog;
  readonly pages: Pages;
  readonly flags: Resource<FlagSpec, FlagStatus>;
  readonly projects: Resource<ProjectSpec, ProjectStatus>;
  readonly environments: Resource<EnvironmentSpec, EnvironmentStatus>;
  /** Those that are defined; the built-in ones are in the catalog alone. */
  readonly strategyTypes: Resource<StrategyDefinitionSpec, StrategyDefinitionStatus>;
  readonly tokens: Resource<ApiTokenSpec, ApiTokenStatus>;
  /** Those that hold the values of tokens. */
  readonly secrets: Pick<SecretsClient, 'read'>;
  /** The operator's own namespace, where everything but projects and flags lives. */
  readonly home: string;
  /** Flags may live in several namespaces, so a new name must be compared across them. */
  readonly severalNamespaces: boolean;
  /** What happened. */
  readonly history: History;
  /** For links; undefined: they are paths. */
  readonly publicUrl: string | undefined;
  /** Of Vexil. */
  readonly version: string;
  /** Where projects and flags are watched; `*`: everywhere. */
  readonly watchNamespaces: '*' | readonly string[];
  readonly newId: () => string;
  /** In ms since 1970. */
  readonly now: () => number;
  /** Aborts when this replica stops: who waits must be answered. */
  readonly ending: AbortSignal;
  readonly logger: Logger;
}

type Written = 'flags' | 'projects' | 'environments' | 'strategyTypes' | 'tokens';

/** What an endpoint works with, on behalf of its caller. */
export type Services = Omit<SharedServices, Written> & {
  readonly [K in Written]: SharedServices[K] extends Resource<infer S, infer T> ? Writable<S, T> : never;
} & { readonly caller: Caller; readonly leaveOut: Taking['leaveOut'] };

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
  /** The codes of its own refusals, beside those that any endpoint may answer. */
  readonly refuses: readonly ErrorCode[];
  /** Answered before anything of the body is read. */
  readonly asks: Asks<NoInfer<P>>;
  /** What else is asked, for each object that it touches; answered once the body is read, before anything of it is done. */
  readonly alsoAsks?: (
    known: Known,
    input: Pick<Input<NoInfer<P>, unknown, NoInfer<B>>, 'params' | 'body'>,
  ) => readonly Ask[];
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The body is read as JSON whatever its content type says (facts §5.3). */
  readonly anyContentType?: boolean;
  /** The body may also be YAML, or a file in a form, of either kind; it has a limit of its own. */
  readonly uploads?: true;
  /** Clients send a body that says nothing new: whatever it is, it is not looked at, within the limit for bodies. */
  readonly ignoresBody?: boolean;
  readonly answer: 200 | 201 | 202 | 204;
  /** There is no version yet that a caller could have seen. An answer of 201 says so by itself. */
  readonly createsAnew?: boolean;
  /** The shape of the answer; absent: it has no body. */
  readonly response?: z.ZodType;
  /** Content types of answers that are text, where the response does not say it all. */
  readonly texts?: readonly string[];
  /** The answer is of any length, and the handler answers Pieces: lines with an item of that shape in each, or one whole. */
  readonly streams?: 'lines' | 'whole';
  /** The answer may be without parts that cannot be read, and says so (Warning). */
  readonly leavesOut?: true;
  /** Better not used any more: answers say so (RFC 9745). */
  readonly deprecated?: true;
  /** A Representation is sent as it is, and so are Pieces; any other value as JSON. */
  readonly handle: (services: Services, input: Input<P, Q, B>) => unknown;
}

export type Route = RouteDefinition<unknown, unknown, unknown>;

/** Checks the types of one endpoint, then forgets them: the server treats all endpoints alike. */
export function route<P, Q, B>(definition: RouteDefinition<P, Q, B>): Route {
  return definition as Route;
}
