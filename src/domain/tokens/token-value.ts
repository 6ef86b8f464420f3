/** The value of an API token: generation, validation, digest. */
import { hash } from 'node:crypto';
import { TOKEN_VALUE } from '../../model/patterns.ts';
import type { ApiTokenSpec } from '../../schema/api-token.ts';

/** A value in the form of docs/unleash-compatibility.md#api-tokens; `digits` are hex digits of 28 random bytes. */
export function newTokenValue({ type, projects, environment }: ApiTokenSpec, digits: string): string {
  if (type === 'personal') return `user:${digits}`;
  const [only = '*', ...more] = projects ?? [];
  return `${more.length > 0 ? '[]' : only}:${environment ?? '*'}.${digits}`;
}

export function isTokenValue(text: string | undefined): text is string {
  return text !== undefined && TOKEN_VALUE.test(text);
}

/** SHA-256 of the whole value, in lower-case hex. */
export function digestOf(value: string): string {
  return hash('sha256', value);
}
