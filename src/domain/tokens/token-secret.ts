/** The Secret of an API token: its name, whether it belongs to the token, and the resulting state of the token. */
import { hash } from 'node:crypto';
import type { Ref } from '../../model/object.ts';
import { type ApiToken, TOKEN_LABEL } from '../../schema/api-token.ts';
import { digestOf, isTokenValue } from './token-value.ts';

/** The parts of a Secret that are needed. */
export interface FoundSecret {
  readonly labels: Readonly<Record<string, string>>;
  /** The uids of its owner references. */
  readonly owners: readonly string[];
  /** The content of the key `token`. */
  readonly value: string | undefined;
}

/**
 * The state of the value of a token. `value`: the Secret holds it. `kept`: the generated Secret is gone, its digest
 * stays. `none`: there is no Secret yet, one may be generated. `missing`: the Secret that the spec names does not
 * exist, or is not labelled for this token. `unusable`: the Secret holds no valid value. `foreign`: another Secret has
 * the name of the generated one. `unasked`: the Secret was not read.
 */
export type SecretState =
  | { readonly state: 'value' | 'kept'; readonly sha256: string }
  | { readonly state: 'unasked'; readonly sha256: string | undefined }
  | { readonly state: 'none' | 'missing' | 'unusable' | 'foreign' };

const GENERATED = 'vexil-token-';
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

export function secretRefOf({ metadata: { namespace, name }, spec }: ApiToken): Ref {
  return { namespace, name: spec.secretRef?.name ?? generatedSecretName(name) };
}

/**
 * The name of the generated Secret for an ApiToken `name`. The prefix distinguishes it from other Secrets: a user who
 * may create ApiTokens and not read Secrets must not learn from conflicts which Secrets exist.
 */
export function generatedSecretName(name: string): string {
  return shortened(`${GENERATED}${name}`, MAX_NAME_LENGTH);
}

/** The name of the token, shortened to the length of a label value. */
export function tokenLabelOf({ metadata: { name } }: ApiToken): string {
  return shortened(name, MAX_LABEL_LENGTH);
}

/** A name that is too long is cut, and gets 10 hex digits of its SHA-256. */
function shortened(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const digits = hash('sha256', name).slice(0, 10);
  return `${name.slice(0, maxLength - 11)}-${digits}`;
}

/** If a Secret does not belong to this token, only its existence counts: the name is taken. */
export function secretStateOf(token: ApiToken, secret: FoundSecret | undefined): SecretState {
  if (secret && isFor(token, secret)) {
    return isTokenValue(secret.value) ? { state: 'value', sha256: digestOf(secret.value) } : { state: 'unusable' };
  }
  if (token.spec.secretRef) return { state: 'missing' };
  const sha256 = token.status?.sha256;
  if (sha256 !== undefined) return { state: 'kept', sha256 };
  return { state: secret ? 'foreign' : 'none' };
}

/** For a token with defects or a name conflict: it is not valid, so its Secret is not read. */
export function uncheckedSecretState({ spec, status }: ApiToken): SecretState {
  return { state: 'unasked', sha256: spec.secretRef ? undefined : status?.sha256 };
}

/** A generated Secret must have this token as owner: a revoked token of the same name may have left its Secret. */
function isFor(token: ApiToken, { labels, owners }: FoundSecret): boolean {
  const isLabelled = labels[TOKEN_LABEL] === tokenLabelOf(token);
  return isLabelled && (token.spec.secretRef !== undefined || owners.includes(token.metadata.uid));
}
