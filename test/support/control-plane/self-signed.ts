/** Makes self-signed certificates with keys on an elliptic curve: a handshake costs a tenth of one with RSA. */
import { runProgram } from '../../../scripts/tools/run-program.ts';

export interface SelfSigned {
  /** The paths of the files to write. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The names in the form of OpenSSL: `IP:127.0.0.1`. */
  readonly names: readonly string[];
  readonly days: number;
}

/** Rejects if there is no program openssl. */
export async function selfSigned({ certFile, keyFile, names, days }: SelfSigned): Promise<void> {
  const subject = ['-subj', '/CN=vexil', '-addext', `subjectAltName=${names.join(',')}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...kind, ...subject, '-days', `${days}`, '-keyout', keyFile, '-out', certFile];
  const { code, stderr } = await runProgram('openssl', args);
  if (code !== 0) throw new Error(`openssl made no certificate:\n${stderr}`);
}
