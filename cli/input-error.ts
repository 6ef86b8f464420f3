/** The error for input that cannot be used; the message says what, where and why. */
import { Failure } from './failure.ts';
import { EXIT } from './terminal.ts';

export class InputError extends Failure {
  override readonly name = 'InputError';

  constructor(message: string) {
    super(message, EXIT.noInput);
  }
}
