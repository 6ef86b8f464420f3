/** The value of an API token: generation, validation, digest. */
import { createHash } from 'node:crypto';
import type { ApiTokenSpec } from '../../schema/api-token.ts';

/** 16 to 512 visible ASCII characters: valid in a header without encoding, and too long to guess. */
const VALUE = /^[\x21-\x7e]{16,512}$/;

/** A value in the form of docs/unleash-compatibility.md#api-tokens; `digits` are hex digits of 28 random bytes. */
export function newTokenValue({ type, projects, environment }: ApiTokenSpec, digits: string): string {
  if (type === 'personal') return `user:${digits}`;
  const [only = '*', ...more] = projects ?? [];
  return `${more.length > 0 ? '[]' : only}:${environment ?? '*'}.${digits}`;
}

export function isTokenValue(text: string | undefined): text is string {
  return text !== undefined && VALUE.test(text);
}

/** SHA-256 of the whole value, in lower-case hex. */
export function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
