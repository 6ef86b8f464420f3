/** The forms of what a NATS server accepts as proof of a user. */

export type NatsCredentials =
  | { readonly type: 'user'; readonly user: string; readonly password: string }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'nkey'; readonly seed: string }
  | { readonly type: 'creds'; readonly text: string };

const SEED = /^SU[A-Z2-7]{56}$/;
/** A file of `nsc` has the JWT of the user and its seed. */
const CREDS =
  /^-{3,}BEGIN NATS USER JWT-{3,}\r?\n[\w.-]+\r?\n-{3,}END NATS USER JWT-{3,}\r?\n[\s\S]*\nSU[A-Z2-7]{56}\r?\n/;
const MAX_CREDENTIALS = 16 * 1024;

/** Undefined: none of the forms. A password may contain blanks and colons. */
export function natsCredentialsOf(text: string): NatsCredentials | undefined {
  if (text.length > MAX_CREDENTIALS) return undefined;
  if (text.startsWith('---')) return CREDS.test(`${text}\n`) ? { type: 'creds', text: `${text}\n` } : undefined;
  if (text === '' || /[\r\n]/.test(text)) return undefined;
  if (SEED.test(text)) return { type: 'nkey', seed: text };
  const [, user, password = ''] = /^([^:]+):(.+)$/.exec(text) ?? [];
  return user === undefined ? { type: 'token', token: text } : { type: 'user', user, password };
}
