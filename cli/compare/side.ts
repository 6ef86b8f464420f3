/** One of two servers that are compared, as its applications see it. */

import type { FieldsOfContext } from '../../src/evaluation/contexts/document-flags.ts';
import { type ClientDocument, readDocument } from '../../src/wire/client/read-document.ts';
import { getPatiently, type PatientGet, serverAddress } from '../connection/patient-get.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';
import type { GivenToken } from './tokens.ts';

/** Of a flag that is on. */
export interface FrontendAnswer {
  /** Undefined: none. */
  readonly variant: string | undefined;
}

export interface Side {
  readonly address: string;
  /** The environments of its tokens for server-side SDKs, with what these get. */
  readonly documents: ReadonlyMap<string, ClientDocument>;
  /** The environments of its tokens for browsers. */
  readonly frontends: ReadonlySet<string>;
  /** The flags that are on for the context, by name. */
  frontend(environment: string, context: FieldsOfContext): Promise<ReadonlyMap<string, FrontendAnswer>>;
}

type Calls = Omit<PatientGet, 'token' | 'wantedToken'>;

/** Segments come apart from the flags, and dependencies are in the document. */
const SPEC = { 'Unleash-Client-Spec': '5.2.0', 'UNLEASH-APPNAME': 'vexil-compare' };

/** Throws a Failure if a token is accepted neither for the client API nor for the frontend API. */
export async function openSide(url: string, tokens: readonly GivenToken[], calls: Calls): Promise<Side> {
  const address = serverAddress(url);
  const documents = new Map<string, ClientDocument>();
  const frontends = new Map<string, string>();
  for (const { environment, value } of tokens) {
    const document = await documentFor(address, value, calls);
    if (document) documents.set(environment, merged(documents.get(environment), document));
    const isForFrontend = await isAccepted(`${address}/api/frontend`, value, calls);
    if (isForFrontend && !frontends.has(environment)) frontends.set(environment, value);
    if (!document && !isForFrontend)
      throw new Failure(`${address} does not accept a token for "${environment}"`, EXIT.noPermission);
  }
  return {
    address,
    documents,
    frontends: new Set(frontends.keys()),
    async frontend(environment, { currentTime: _, ...context }) {
      const token = frontends.get(environment) ?? '';
      // Unleash ignores the time of a caller.
      const path = `/api/frontend?${queryOf(context)}`;
      return togglesIn(await getPatiently(`${address}${path}`, { ...calls, token, wantedToken: 'a frontend token' }));
    },
  };
}

/** Undefined if the token is not for the client API. */
async function documentFor(address: string, token: string, calls: Calls): Promise<ClientDocument | undefined> {
  const url = `${address}/api/client/features`;
  const body = await unlessRefused(getPatiently(url, { ...calls, token, wantedToken: WANTED, headers: SPEC }));
  if (body === undefined) return undefined;
  const read = readDocument(body);
  if ('problem' in read)
    throw new Failure(`${url} answers in a form that is not known: ${read.problem}`, EXIT.unavailable);
  return read.value;
}

const WANTED = 'a client or a frontend token';

async function isAccepted(url: string, token: string, calls: Calls): Promise<boolean> {
  return (await unlessRefused(getPatiently(url, { ...calls, token, wantedToken: WANTED }))) !== undefined;
}

async function unlessRefused(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.status === EXIT.noPermission) return undefined;
    throw error;
  }
}

/** Tokens of several projects see different flags of one environment. */
function merged(one: ClientDocument | undefined, other: ClientDocument): ClientDocument {
  const features = new Map([...(one?.features ?? []), ...other.features].map((feature) => [feature.name, feature]));
  const segments = new Map([...(one?.segments ?? []), ...other.segments].map((segment) => [segment.id, segment]));
  return { features: [...features.values()], segments: [...segments.values()] };
}

const OWN_FIELDS: readonly string[] = ['userId', 'sessionId', 'remoteAddress', 'appName'];

function queryOf(context: FieldsOfContext): URLSearchParams {
  return new URLSearchParams(
    Object.entries(context).map(([name, value]) => [OWN_FIELDS.includes(name) ? name : `properties[${name}]`, value]),
  );
}

function togglesIn(body: unknown): ReadonlyMap<string, FrontendAnswer> {
  const toggles = (body as { readonly toggles?: readonly Toggle[] } | undefined)?.toggles ?? [];
  return new Map(
    toggles.map(({ name, variant }) => {
      const hasVariant = variant?.enabled === true || (variant?.name !== undefined && variant.name !== 'disabled');
      return [name, { variant: hasVariant ? variant?.name : undefined }];
    }),
  );
}

interface Toggle {
  readonly name: string;
  readonly variant?: { readonly name?: string; readonly enabled?: boolean };
}
