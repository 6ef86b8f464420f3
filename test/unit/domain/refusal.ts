/** The refusal of a rule as text. */
import { isRefusal } from '../../../src/errors.ts';

export function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (isRefusal(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}
