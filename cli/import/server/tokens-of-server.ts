/** API tokens of a running Unleash, as ApiTokens and the Secrets with the same values. */
import { hash } from 'node:crypto';
import { compareText, objectNamesFor } from '../../../src/domain/identity/names.ts';
import { type ApiTokenSpec, TOKEN_LABEL } from '../../../src/schema/api-token.ts';
import type { Imported, ImportedObject } from '../imported.ts';
import type { Unmapped } from '../unmapped.ts';
import type { WireToken } from './shapes.ts';

/** A Secret as it is written to a file or to a cluster. */
export interface TokenSecret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly stringData: { readonly token: string };
}

export interface Tokens extends Imported {
  readonly objects: readonly ImportedObject<'tokens'>[];
  readonly secrets: readonly TokenSecret[];
}

interface TokenOptions {
  /** The namespace of the tokens. */
  readonly namespace: string;
  /** Ms since 1970. */
  readonly now: number;
}

/** Unleash 7 and later say `backend` for the tokens of server-side SDKs. */
const TYPES: Readonly<Record<string, ApiTokenSpec['type']>> = {
  client: 'client',
  backend: 'client',
  frontend: 'frontend',
  admin: 'admin',
};

/** What a Secret may hold. */
const VALUE = /^[!-~]{16,512}$/;
/** The name of the Secret is longer, and its label has at most 63 characters. */
const MAX_LENGTH = 40;

export function tokensOfServer(tokens: readonly WireToken[], { namespace, now }: TokenOptions): Tokens {
  const taken = new Set<string>();
  const named = Map.groupBy(tokens, nameOf);
  const objects: ImportedObject<'tokens'>[] = [];
  const secrets: TokenSecret[] = [];
  const unmapped: Unmapped[] = [];
  for (const token of tokens.toSorted(inStableOrder)) {
    const label = nameOf(token);
    const problem = problemOf(token, now);
    const type = TYPES[token.type];
    if (problem !== undefined || type === undefined) {
      unmapped.push({ path: `tokens/${label}`, value: token.type, advice: `${problem ?? NO_TYPE} It is left out.` });
      continue;
    }
    const isAlone = named.get(label)?.length === 1;
    const name = freeName(taken, isAlone ? label : [label, type, token.environment ?? ''].join('-'));
    const [object = name] = objectNamesFor(name);
    const secret = `${object}-imported`;
    objects.push({ kind: 'tokens', name, spec: { type, ...scopeOf(token, type), secretRef: { name: secret } } });
    secrets.push({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret, namespace, labels: { [TOKEN_LABEL]: object } },
      stringData: { token: token.secret },
    });
  }
  return { objects, secrets, unmapped };
}

const NO_TYPE = 'Vexil has no tokens of this type.';

function nameOf({ tokenName, username }: WireToken): string {
  return tokenName || username || 'token';
}

/** The order of the server may change from one reading to the next one. The digest says nothing about the value. */
function inStableOrder(one: WireToken, other: WireToken): number {
  return compareText(keyOf(one), keyOf(other));
}

function keyOf(token: WireToken): string {
  return JSON.stringify([nameOf(token), token.type, token.environment ?? '', hash('sha256', token.secret)]);
}

function problemOf({ secret, expiresAt }: WireToken, now: number): string | undefined {
  if (expiresAt && Date.parse(expiresAt) <= now) return 'It has expired.';
  return VALUE.test(secret) ? undefined : 'Its value is not 16 to 512 visible ASCII characters. Make a new token.';
}

function scopeOf(token: WireToken, type: ApiTokenSpec['type']): Partial<ApiTokenSpec> {
  const { environment, expiresAt } = token;
  const projects = (token.projects ?? (token.project ? [token.project] : [])).toSorted(compareText);
  const isScoped = type !== 'admin';
  return {
    ...(isScoped && environment && { environment }),
    ...(isScoped && projects.length > 0 && !projects.includes('*') && { projects }),
    ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

/** Names of tokens need not be unique in Unleash. */
function freeName(taken: Set<string>, wanted: string): string {
  const cut = wanted.replace(/-\*?$/, '').trim().slice(0, MAX_LENGTH);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? cut : `${cut}-${count}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
