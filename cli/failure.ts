/** Why a command ends without its result: the message says what, where and what to do. */
import type { EXIT } from './terminal.ts';

type Status = (typeof EXIT)[keyof typeof EXIT];

export class Failure extends Error {
  override readonly name: string = 'Failure';
  /** What the process ends with. */
  readonly status: Status;

  constructor(message: string, status: Status, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}
