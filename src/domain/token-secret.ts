/** The Secret of an API token: which one it is, whether it is there for this token, what follows for the token. */
import { createHash } from 'node:crypto';
import { type ApiToken, TOKEN_LABEL } from '../schema/api-token.ts';
import type { Ref } from '../schema/object.ts';
import { digestOf, isTokenValue } from './token-value.ts';

/** What is looked at of a Secret. */
export interface FoundSecret {
  readonly labels: Readonly<Record<string, string>>;
  /** The uids of the objects that it goes with. */
  readonly owners: readonly string[];
  /** What the key `token` holds. */
  readonly value: string | undefined;
}

/**
 * What a token has of its Secret. `value`: one. `kept`: the generated one is gone, its digest stays. `none`: nothing yet,
 * one may be generated. `missing`: the Secret that the spec names is not there, or not for this token. `unusable`: it is
 * there, without what could be a value. `foreign`: the name of a generated one is taken. `unasked`: nobody looked.
 */
export type Holding =
  | { readonly state: 'value' | 'kept'; readonly sha256: string }
  | { readonly state: 'unasked'; readonly sha256: string | undefined }
  | { readonly state: 'none' | 'missing' | 'unusable' | 'foreign' };

const GENERATED = 'vexil-token-';
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

export function secretRefOf({ metadata: { namespace, name }, spec }: ApiToken): Ref {
  return { namespace, name: spec.secretRef?.name ?? generatedSecretName(name) };
}

/**
 * A generated one has a name that no other Secret should have: whoever may create ApiTokens and not read Secrets must not
 * learn, by what is taken, which ones there are. `name` is that of the ApiToken.
 */
export function generatedSecretName(name: string): string {
  return shortened(`${GENERATED}${name}`, LONGEST_NAME);
}

/** The name of the token, as far as it goes into a label. */
export function tokenLabelOf({ metadata: { name } }: ApiToken): string {
  return shortened(name, LONGEST_LABEL);
}

/** Of a name that is too long its beginning, with 10 hex digits of its SHA-256. */
function shortened(name: string, longest: number): string {
  if (name.length <= longest) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${name.slice(0, longest - 11)}-${digits}`;
}

/** Nothing of a Secret that is not there for this token makes any difference, but for whether its name is free. */
export function holdingIn(token: ApiToken, secret: FoundSecret | undefined): Holding {
  if (secret && isFor(token, secret)) {
    return isTokenValue(secret.value) ? { state: 'value', sha256: digestOf(secret.value) } : { state: 'unusable' };
  }
  if (token.spec.secretRef) return { state: 'missing' };
  const sha256 = token.status?.sha256;
  if (sha256 !== undefined) return { state: 'kept', sha256 };
  return { state: secret ? 'foreign' : 'none' };
}

/** Of a token with a mistake of its own: it is not in force whatever its Secret says. */
export function holdingUnasked({ spec, status }: ApiToken): Holding {
  return { state: 'unasked', sha256: spec.secretRef ? undefined : status?.sha256 };
}

/** A generated one also has to be of this very token: one of the same name may have been there before, and was revoked. */
function isFor(token: ApiToken, { labels, owners }: FoundSecret): boolean {
  const isLabelled = labels[TOKEN_LABEL] === tokenLabelOf(token);
  return isLabelled && (token.spec.secretRef !== undefined || owners.includes(token.metadata.uid));
}
