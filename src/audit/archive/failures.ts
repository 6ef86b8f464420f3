/** What failures of a database mean to those who use the archive. */
import { AppError, isAppError } from '../../errors.ts';

/** How a failure is answered. */
export interface Judgement {
  /** The cause is outside: the same call may succeed later. */
  readonly passes: boolean;
  /** What was opened is of no use any more. */
  readonly reopen: boolean;
}

export interface FailureJudge {
  /** The archive as messages name it, without a password. */
  readonly label: string;
  /** A password that no message may show. */
  readonly secret: string | undefined;
  judge(error: unknown): Judgement;
}

/** The one place where failures become AppErrors. */
export function asAppError({ label, secret, judge }: FailureJudge, error: unknown): AppError {
  if (isAppError(error)) return error;
  const reason = withoutSecret(error instanceof Error ? error.message || codeOf(error) : String(error), secret);
  if (judge(error).passes) return new AppError('unavailable', `${label} cannot be used now: ${reason}`);
  return new AppError('internal', `${label} does not do what it should: ${reason}`);
}

/** `code` of an error: an SQLSTATE, or what Node calls it. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function withoutSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '…');
}
