/** The settings of signed heads and of the export of the history. */
import { z } from 'zod';
import type { ExportPlace } from '../model/settings/export-place.ts';
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

export interface HistoryExportSettings {
  /** As it is set; it has no credentials. */
  readonly url: string;
  readonly place: ExportPlace;
  readonly intervalMs: number;
}

/** undefined: the URL names no place. */
function placeIn(text: string): ExportPlace | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (url.protocol === 'file:') return folderIn(url);
  return url.protocol === 's3:' ? bucketIn(url) : undefined;
}

function folderIn({ hostname, pathname, search }: URL): ExportPlace | undefined {
  if (hostname !== '' || search !== '' || pathname === '/') return undefined;
  return { type: 'folder', folder: decodeURIComponent(pathname) };
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function bucketIn({ hostname: bucket, pathname, searchParams }: URL): ExportPlace | undefined {
  const names = [...searchParams.keys()];
  if (!BUCKET.test(bucket) || names.some((name) => name !== 'region' && name !== 'endpoint')) return undefined;
  const endpoint = searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) return undefined;
  const prefix = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, ''));
  const region = searchParams.get('region') ?? undefined;
  return { type: 's3', bucket, prefix: prefix === '' ? '' : `${prefix}/`, region, endpoint };
}

/** The log shows the setting, so it may not contain credentials. */
function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const exportUrl = z
  .string()
  .max(2_000)
  .transform((url, context): { readonly url: string; readonly place: ExportPlace } => {
    const place = placeIn(url);
    if (place !== undefined) return { url, place };
    context.addIssue('no place');
    return z.NEVER;
  });

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
  VEXIL_HISTORY_EXPORT_URL: fact(exportUrl.optional(), {
    description:
      'Where the leader writes the history as segments, for write-once storage: a folder, or a bucket of S3 or of another storage with its API. `region` and `endpoint` are optional. Credentials are not part of it: the AWS SDK finds them, for example in `AWS_ACCESS_KEY_ID` or in the identity of the ServiceAccount.',
    allowed: '"file:///FOLDER" or "s3://BUCKET/PREFIX?region=REGION&endpoint=URL", without credentials',
    defaultText: 'none: nothing is exported',
    example: 's3://vexil-history/production?region=eu-central-1',
    // A value that is refused may have credentials.
    secret: true,
  }),
  VEXIL_HISTORY_EXPORT_INTERVAL: fact(interval.prefault('1h'), {
    description: 'How often the leader writes what was recorded since. A segment that is full is written at once.',
    allowed: 'a whole number of seconds, minutes or hours from 1s to 24h',
    defaultText: '1h',
    example: '5m',
  }),
};

type HistoryValues = z.output<z.ZodObject<typeof historySettings>>;

/** undefined: nothing is signed. */
export function historySigningFrom(values: HistoryValues): HistorySigningSettings | undefined {
  const { VEXIL_HISTORY_SIGNING_KEY_FILE: keyFile, VEXIL_HISTORY_SIGNING_INTERVAL: intervalMs } = values;
  return keyFile === undefined ? undefined : Object.freeze({ keyFile, intervalMs });
}

/** undefined: nothing is exported. */
export function historyExportFrom(values: HistoryValues): HistoryExportSettings | undefined {
  const { VEXIL_HISTORY_EXPORT_URL: given, VEXIL_HISTORY_EXPORT_INTERVAL: intervalMs } = values;
  return given && Object.freeze({ ...given, intervalMs });
}
