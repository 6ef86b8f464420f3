/** Self-signed certificates for tests, in a folder like the one that the kubelet makes of a Secret. */
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './control-plane/self-signed.ts';

export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
  readonly fingerprint: string;
  /** The end of its validity in seconds since 1970. */
  readonly expiresAt: number;
}

/** Makes a certificate of 127.0.0.1. Needs the program openssl. */
export async function makeCertificate(days = 1): Promise<CertificatePair> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-certificate-'));
  try {
    const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    await selfSigned({ certFile: cert, keyFile: key, names: ['IP:127.0.0.1'], days });
    const pair = { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
    const { fingerprint256, validTo } = new X509Certificate(pair.cert);
    return { ...pair, fingerprint: fingerprint256, expiresAt: Date.parse(validTo) / 1000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Mounts a Secret as the kubelet does: the files are links through `..data`, which is a link to the folder of the
 * present version.
 */
export async function mountSecret(pair: Pick<CertificatePair, 'cert' | 'key'>) {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-secret-'));
  let version = 0;
  const swap = async ({ cert, key }: Pick<CertificatePair, 'cert' | 'key'>): Promise<void> => {
    version += 1;
    const name = `..version_${version}`;
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'tls.crt'), cert);
    await writeFile(join(folder, name, 'tls.key'), key);
    await symlink(name, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await swap(pair);
  for (const file of ['tls.crt', 'tls.key']) await symlink(join('..data', file), join(folder, file));
  return {
    certFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    /** Replaces the files at once, as the kubelet does. */
    swap,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
