/** Signs what is published, with cosign: with a key, or without one in the name of the workflow that runs. */
import { env } from 'node:process';
import { runQuietly } from '../image/run-quietly.ts';

export interface SignerParts {
  /** The path of the program. */
  readonly cosign: string;
  /** A private key of cosign. Without it, Sigstore issues a certificate for the workflow. */
  readonly key?: string;
  /** Variables that lead to the credentials of the registry. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Signer {
  /** Signs the manifest, and with an index the manifests that it names. */
  sign(reference: string): Promise<void>;
  /** Attaches a signed attestation. */
  attest(reference: string, type: string, predicate: string): Promise<void>;
  /** Writes the signature of a file to a bundle. */
  signFile(file: string, bundle: string): Promise<void>;
}

/** A key signs without the public log of transparency: what a team publishes for itself stays with the team. */
export function createSigner({ cosign, key, environment: access }: SignerParts): Signer {
  const how = key === undefined ? [] : ['--key', key, '--use-signing-config=false', '--tlog-upload=false'];
  const environment = { ...access, COSIGN_PASSWORD: env['COSIGN_PASSWORD'] ?? '' };
  const run = async (command: string, ...args: readonly string[]) => {
    await runQuietly(cosign, [command, '--yes', ...how, ...args], { environment });
  };
  return {
    sign: (reference) => run('sign', '--recursive', reference),
    attest: (reference, type, predicate) => run('attest', '--type', type, '--predicate', predicate, reference),
    signFile: (file, bundle) => run('sign-blob', '--bundle', bundle, file),
  };
}
