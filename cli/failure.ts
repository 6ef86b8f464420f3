/** The errors for a command that ends without its result; the message says what is wrong, where, and what to do. */
import { EXIT } from './terminal.ts';

type Status = (typeof EXIT)[keyof typeof EXIT];

export class Failure extends Error {
  override readonly name: string = 'Failure';
  /** The exit status of the process. */
  readonly status: Status;

  constructor(message: string, status: Status, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

/** For input that cannot be used. */
export class InputError extends Failure {
  override readonly name = 'InputError';

  constructor(message: string) {
    super(message, EXIT.noInput);
  }
}
