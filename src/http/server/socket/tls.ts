/** The certificate of the admin API: read from files, checked, reloaded when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Refusal } from '../../../errors.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates of authorities that clients prove themselves with; undefined: clients are not asked for any. */
  readonly clientCaFile?: string | undefined;
  /** What the names of their settings begin with. */
  readonly settings?: string;
}

/** A change of the certificate. */
export type TlsNotice =
  | { readonly type: 'taken' /** Ms since 1970. */; readonly expiresAt: number }
  /** The files are unusable, and the previous certificate is still served. */
  | { readonly type: 'refused'; readonly error: unknown };

/** The credentials of a TLS server. */
export type Credentials = Required<Pick<SecureContextOptions, 'cert' | 'key' | 'minVersion'>> &
  Pick<SecureContextOptions, 'ca'>;

export interface FollowedFiles {
  readonly files: TlsFiles;
  /** Applies to new connections; open ones keep their certificate. */
  readonly take: (credentials: Credentials) => void;
  readonly observe: (notice: TlsNotice) => void;
  readonly lookEveryMs?: number;
}

/** The kubelet takes up to a minute to update the files. A check reads two small files. */
const LOOK_EVERY_MS = 2_000;

/** The maximum number of attempts to read a pair that changes while it is read. */
const MAX_READS = 3;

/**
 * Loads the files, or throws; then polls them for changes until the returned function is called. It polls because a
 * mounted Secret changes by a symbolic link in another folder, and file systems report that in different ways.
 */
export async function followFiles(parts: FollowedFiles): Promise<() => void> {
  const { files, take, observe, lookEveryMs = LOOK_EVERY_MS } = parts;
  const load = (pair: Pair): void => {
    const { credentials, expiresAt } = checked(files, pair);
    take(credentials);
    observe({ type: 'taken', expiresAt });
  };
  const first = await readPair(files);
  load(first);
  let seen = textOf(first);

  async function poll(): Promise<void> {
    const found = await readPair(files).catch((error: unknown) => ({ error }));
    const isSame = textOf(found) === seen;
    seen = textOf(found);
    if (isSame) return;
    try {
      if ('error' in found) throw found.error;
      load(found);
    } catch (error) {
      observe({ type: 'refused', error });
    }
  }

  let isOver = false;
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    if (!isOver) timer = setTimeout(() => void poll().finally(schedule), lookEveryMs);
  };
  schedule();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly ca: string | undefined;
}

/** Reads the pair again if the kubelet has changed the files between the two reads. */
async function readPair(files: TlsFiles): Promise<Pair> {
  const { certSetting, keySetting, caSetting } = settingsOf(files);
  const ca = files.clientCaFile === undefined ? undefined : await read(files.clientCaFile, caSetting);
  let cert = await read(files.certFile, certSetting);
  for (let reads = 1; ; reads += 1) {
    const key = await read(files.keyFile, keySetting);
    const again = await read(files.certFile, certSetting);
    if (again === cert || reads === MAX_READS) return { cert: again, key, ca };
    cert = again;
  }
}

function settingsOf({ settings = 'VEXIL' }: TlsFiles) {
  return {
    certSetting: `${settings}_TLS_CERT_FILE`,
    keySetting: `${settings}_TLS_KEY_FILE`,
    caSetting: `${settings}_CLIENT_CA_FILE`,
  };
}

async function read(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Refusal('invalid', `The file ${file} of ${setting} cannot be read (${code})`, { cause });
  }
}

/** The result of a poll as text, to be compared with the next one. */
function textOf(found: Pair | { readonly error: unknown }): string {
  return 'error' in found ? String(found.error) : `${found.cert}\n${found.key}\n${found.ca}`;
}

/** Throws for unusable credentials, with the name of the wrong setting and without content of the key. */
function checked(files: TlsFiles, { cert, key, ca }: Pair) {
  const { certFile, keyFile, clientCaFile } = files;
  const { certSetting, keySetting, caSetting } = settingsOf(files);
  const certificate = parsed(() => new X509Certificate(cert), {
    wrong: `The file ${certFile} of ${certSetting} holds no certificate in PEM`,
  });
  const privateKey = parsed(() => createPrivateKey(key), {
    wrong: `The file ${keyFile} of ${keySetting} holds no private key in PEM that is not encrypted`,
  });
  if (!certificate.checkPrivateKey(privateKey)) {
    const message = `The key in ${keyFile} is not that of the certificate in ${certFile}: ${keySetting} and ${certSetting} must be of one pair`;
    throw new Refusal('invalid', message);
  }
  if (ca !== undefined) {
    parsed(() => new X509Certificate(ca), {
      wrong: `The file ${clientCaFile} of ${caSetting} holds no certificate in PEM`,
    });
  }
  const credentials: Credentials = { cert, key, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) };
  parsed(() => createSecureContext(credentials), {
    wrong: `The certificates in ${certFile} of ${certSetting} cannot be served`,
  });
  return { credentials, expiresAt: Date.parse(certificate.validTo) };
}

/** Throws an error without the cause, because messages of OpenSSL could contain content of the file. */
function parsed<T>(parse: () => T, { wrong }: { readonly wrong: string }): T {
  try {
    return parse();
  } catch {
    throw new Refusal('invalid', wrong);
  }
}
