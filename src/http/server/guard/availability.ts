/** Refuses requests that this replica cannot answer correctly at the moment. */
import { Refusal } from '../../../errors.ts';

export function requireReady(isReady: () => boolean): undefined {
  if (isReady()) return undefined;
  throw new Refusal('unavailable', 'Vexil is still reading the flags from the cluster. Try again soon.');
}

export const CUT_OFF = 'This replica has lost its connection to the API server.';

/** For a token that is not known. */
export function requireConnected(isCutOff: () => boolean): undefined {
  if (!isCutOff()) return undefined;
  throw new Refusal('doubtful-token', `${CUT_OFF} It may not know a token that was created since. Try again.`);
}
