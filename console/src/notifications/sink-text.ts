/** What a notification sink gets, and how it is, in words. */
import type { Schemas } from '../api.generated.ts';
import { timeText } from '../times.ts';

type Sink = Schemas['NotificationSink'];

/** Names of one condition that are shown; a filter has up to 100. */
const MAX_NAMES = 5;

/** Without the expression. */
export function filterText({ projects, environments, types }: Sink['filter']): string {
  const conditions = [
    among(projects, 'project', 'projects'),
    among(environments, 'environment', 'environments'),
    among(types, 'type', 'types'),
  ].filter((one) => one !== undefined);
  return conditions.length === 0 ? 'Every change' : `Changes of ${conditions.join(', ')}`;
}

function among(names: readonly string[], one: string, several: string): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(' or ');
  return `${names.length === 1 ? one : several} ${shown}${more > 0 ? ` or ${more} more` : ''}`;
}

export function lagText(lag: Sink['lag']): string {
  if (lag === null) return '';
  if (lag.entries === 0) return 'none';
  return `${lag.entries} ${lag.entries === 1 ? 'entry' : 'entries'}, ${durationText(lag.seconds)}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

function durationText(seconds: number): string {
  const unit = UNITS.find(([size]) => seconds >= size);
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]}` : `${seconds} s`;
}

/** By the reasons of docs/notifications.md. The API does not show names of Secrets: only kubectl does. */
const REASONS: Readonly<Record<string, string>> = {
  AddressNotAllowed: 'The address of the URL is not public, and the operator does not allow it.',
  AddressesMustBeMasked: 'Only sinks in the namespace of Vexil may have plain e-mail addresses.',
  InvalidFilter: 'The expression of the filter is not valid.',
  ReceiverGone: 'The receiver answered 410, so nothing is sent any more until the spec changes.',
  SecretNotFound: 'There is no Secret for this sink, or the operator may not read it: see the status of the sink.',
  SecretUnusable: 'The Secret does not hold what this type needs: see the status of the sink.',
  TooManySinks: 'There are more sinks than Vexil serves.',
};

/** Why the receiver gets nothing; undefined: it does, or it is not known yet. */
export function trouble({ ready, reason, failingSince, lastError }: Sink): string | undefined {
  if (failingSince !== null) {
    return `Failing since ${timeText(failingSince)}${lastError === null ? '' : `: ${lastError}`}`;
  }
  if (ready !== false) return undefined;
  const words = reason ?? 'not ready';
  return REASONS[words] ?? `The sink is not in effect (${words}).`;
}
