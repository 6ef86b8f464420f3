/** The time in which the switch of a flag has an effect in an environment. */
import type { FlagEnvironment, windowStates } from '../../schema/feature-flag.ts';

export type WindowState = (typeof windowStates)[number];

/** `now` is in ms since 1970. Undefined if the environment has no window. */
export function windowAt({ activeFrom, activeUntil }: FlagEnvironment, now: number): WindowState | undefined {
  if (activeFrom === undefined && activeUntil === undefined) return undefined;
  if (activeUntil !== undefined && now >= Date.parse(activeUntil)) return 'Closed';
  return activeFrom !== undefined && now < Date.parse(activeFrom) ? 'Scheduled' : 'Open';
}

/** Also true for an environment without a window. */
export function isWithinWindow(environment: FlagEnvironment, now: number): boolean {
  return (windowAt(environment, now) ?? 'Open') === 'Open';
}
