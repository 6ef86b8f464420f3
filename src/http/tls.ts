/** The certificate of the admin API: read from files, checked, taken up anew when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { AppError } from '../errors.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What the certificate lives through. */
export type TlsNotice =
  | { readonly type: 'taken' /** Ms since 1970. */; readonly expiresAt: number }
  /** What the files hold now is of no use: what was there before is still served. */
  | { readonly type: 'refused'; readonly error: unknown };

/** What a server is given. */
export type Credentials = Required<Pick<SecureContextOptions, 'cert' | 'key' | 'minVersion'>>;

export interface FollowedFiles {
  readonly files: TlsFiles;
  /** Connections that are open stay as they are. */
  readonly take: (credentials: Credentials) => void;
  readonly observe: (notice: TlsNotice) => void;
  readonly lookEveryMs?: number;
}

/** The kubelet itself takes up to a minute to change the files. A look costs two small files. */
const LOOK_EVERY_MS = 2_000;

/** So often a pair that changes while it is read is read again. */
const MOST_READS = 3;

/**
 * Takes what is there, or throws; then looks for changes until the answer is called. It looks rather than being told: a
 * mounted Secret changes by a link in another folder, which is told of in another way on each file system.
 */
export async function followFiles(parts: FollowedFiles): Promise<() => void> {
  const { files, take, observe, lookEveryMs = LOOK_EVERY_MS } = parts;
  const takeUp = (pair: Pair): void => {
    const { credentials, expiresAt } = checked(files, pair);
    take(credentials);
    observe({ type: 'taken', expiresAt });
  };
  const first = await readPair(files);
  takeUp(first);
  let seen = textOf(first);

  async function look(): Promise<void> {
    const found = await readPair(files).catch((error: unknown) => ({ error }));
    const isSame = textOf(found) === seen;
    seen = textOf(found);
    if (isSame) return;
    try {
      if ('error' in found) throw found.error;
      takeUp(found);
    } catch (error) {
      observe({ type: 'refused', error });
    }
  }

  let isOver = false;
  let timer: NodeJS.Timeout;
  const rest = (): void => {
    if (!isOver) timer = setTimeout(() => void look().finally(rest), lookEveryMs);
  };
  rest();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Between the two files the kubelet may have changed both: then they are read again. */
async function readPair(files: TlsFiles): Promise<Pair> {
  let cert = await read(files.certFile, 'VEXIL_TLS_CERT_FILE');
  for (let reads = 1; ; reads += 1) {
    const key = await read(files.keyFile, 'VEXIL_TLS_KEY_FILE');
    const again = await read(files.certFile, 'VEXIL_TLS_CERT_FILE');
    if (again === cert || reads === MOST_READS) return { cert: again, key };
    cert = again;
  }
}

async function read(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AppError('invalid', `The file ${file} of ${setting} cannot be read (${code})`, { cause });
  }
}

/** What is seen of a look, to be compared with what the next one sees. */
function textOf(found: Pair | { readonly error: unknown }): string {
  return 'error' in found ? String(found.error) : `${found.cert}\n${found.key}`;
}

/** Throws for what clients could not use, with the name of the setting that is wrong. Nothing of the key is told. */
function checked({ certFile, keyFile }: TlsFiles, { cert, key }: Pair) {
  const certificate = parsed(() => new X509Certificate(cert), {
    wrong: `The file ${certFile} of VEXIL_TLS_CERT_FILE holds no certificate in PEM`,
  });
  const privateKey = parsed(() => createPrivateKey(key), {
    wrong: `The file ${keyFile} of VEXIL_TLS_KEY_FILE holds no private key in PEM that is not encrypted`,
  });
  if (!certificate.checkPrivateKey(privateKey)) {
    const message = `The key in ${keyFile} is not that of the certificate in ${certFile}: VEXIL_TLS_KEY_FILE and VEXIL_TLS_CERT_FILE must be of one pair`;
    throw new AppError('invalid', message);
  }
  const credentials: Credentials = { cert, key, minVersion: 'TLSv1.2' };
  parsed(() => createSecureContext(credentials), {
    wrong: `The certificates in ${certFile} of VEXIL_TLS_CERT_FILE cannot be served`,
  });
  return { credentials, expiresAt: Date.parse(certificate.validTo) };
}

/** The cause is left out: what OpenSSL says could name what is in the file. */
function parsed<T>(parse: () => T, { wrong }: { readonly wrong: string }): T {
  try {
    return parse();
  } catch {
    throw new AppError('invalid', wrong);
  }
}
