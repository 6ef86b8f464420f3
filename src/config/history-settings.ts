/** The settings of signed heads of the history. */
import { z } from 'zod';
import { fact } from './fact.ts';
import { filePath } from './value-forms.ts';

export interface HistorySigningSettings {
  readonly keyFile: string;
  readonly intervalMs: number;
}

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A time such as `1h`, from one second to one day. */
const interval = z
  .string()
  .regex(/^\d{1,5}[smh]$/)
  .transform((text) => Number.parseInt(text, 10) * units[text.slice(-1) as keyof typeof units])
  .pipe(
    z
      .number()
      .min(units.s)
      .max(24 * units.h),
  );

export const historySettings = {
  VEXIL_HISTORY_SIGNING_KEY_FILE: fact(filePath.optional(), {
    description:
      'A private Ed25519 key in PEM (PKCS#8), not encrypted, from a Secret. The leader signs the end of the chain over the history with it. The file is read for each signature, so a new key is taken without a restart.',
    allowed: 'the path of a file',
    defaultText: 'none: nothing is signed',
    example: '/etc/vexil/signing/key.pem',
  }),
  VEXIL_HISTORY_SIGNING_INTERVAL: fact(interval.prefault('1h'), {
    description: 'How often the leader signs the end of the chain, if something was recorded since.',
    allowed: 'a whole number of seconds, minutes or hours from 1s to 24h',
    defaultText: '1h',
    example: '15m',
  }),
};

type Values = z.output<z.ZodObject<typeof historySettings>>;

/** undefined: nothing is signed. */
export function historySigningFrom(values: Values): HistorySigningSettings | undefined {
  const { VEXIL_HISTORY_SIGNING_KEY_FILE: keyFile, VEXIL_HISTORY_SIGNING_INTERVAL: intervalMs } = values;
  return keyFile === undefined ? undefined : Object.freeze({ keyFile, intervalMs });
}
