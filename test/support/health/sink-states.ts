/** The states of notification sinks. */
import { aSink } from '../builders.ts';
import type { State } from './state.ts';

type SinkReason =
  | 'InvalidFilter'
  | 'AddressNotAllowed'
  | 'AddressesMustBeMasked'
  | 'TooManySinks'
  | 'ReceiverFailing'
  | 'ReceiverGone';

export function sinkStates(home: string): Readonly<Record<SinkReason, readonly State[]>> {
  const sink = (name: string, spec: Parameters<typeof aSink>[1] = {}) => [aSink(`${home}/${name}`, spec)];
  const what = 'a notification sink';
  const recorded = (...path: readonly string[]) => ({ finding: { severity: 'Error', path } }) as const;
  return {
    InvalidFilter: [{ what, prospect: 'failed', objects: sink('odd-filter', { filter: { expression: 'event.' } }) }],
    AddressNotAllowed: [{ what, prospect: 'failed', objects: sink('inside', { url: 'https://10.0.0.1/' }) }],
    AddressesMustBeMasked: [{ what, prospect: 'failed', objects: sink('plain'), ...recorded('emailAddresses') }],
    TooManySinks: [{ what, prospect: 'waits', objects: sink('many'), ...recorded() }],
    ReceiverFailing: [{ what, prospect: 'waits', objects: sink('failing'), ...recorded('url') }],
    ReceiverGone: [{ what, prospect: 'failed', objects: sink('gone'), ...recorded('url') }],
  };
}
