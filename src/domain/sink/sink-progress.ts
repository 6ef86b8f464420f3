/** How far the delivery to a sink is, as its status reports it. Times are in ms since 1970. */

export interface SinkProgress {
  readonly lastDelivered: { readonly id: number; readonly at: number } | undefined;
  readonly lag: { readonly entries: number; readonly oldestAt: number | undefined };
  readonly failingSince: number | undefined;
  readonly lastError: string | undefined;
  readonly setAside: number;
  readonly lastSetAside: string | undefined;
  /** The receiver has answered 410 to this generation of the sink. */
  readonly goneAt: number | undefined;
  readonly lastTest: SinkTest | undefined;
  readonly lastReplay: string | undefined;
}

export interface SinkTest {
  readonly request: string;
  readonly succeeded: boolean;
  readonly message: string;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DEFAULT_MAX_AGE = '3d';

export function maxAgeMsOf(text: string | undefined): number {
  const given = text ?? DEFAULT_MAX_AGE;
  return Number.parseInt(given, 10) * UNITS[given.at(-1) as keyof typeof UNITS];
}
