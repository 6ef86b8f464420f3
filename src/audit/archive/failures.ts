/** Maps database errors to Refusals. */
import { isRefusal, Refusal } from '../../errors.ts';

/** The classification of a failure. */
export interface Judgement {
  /** Temporary: the same call may succeed later. */
  readonly isTemporary: boolean;
  /** The open connection is unusable. */
  readonly reopen: boolean;
}

export interface FailureJudge {
  /** The archive in messages, without its password. */
  readonly label: string;
  /** The password, which is removed from messages. */
  readonly secret: string | undefined;
  judge(error: unknown): Judgement;
}

/** The only place that turns failures into Refusals. */
export function asRefusal({ label, secret, judge }: FailureJudge, error: unknown): Refusal {
  if (isRefusal(error)) return error;
  const reason = withoutSecret(error instanceof Error ? error.message || codeOf(error) : String(error), secret);
  if (judge(error).isTemporary) return new Refusal('unavailable', `${label} cannot be used now: ${reason}`);
  return new Refusal('internal', `${label} failed unexpectedly: ${reason}`);
}

/** The `code` of an error: an SQLSTATE or an error code of Node.js. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function withoutSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '…');
}
