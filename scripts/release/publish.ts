/** Pushes a release to its registry, and signs it there. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { runQuietly } from '../image/run-quietly.ts';
import { releaseProgram } from '../tools/release-programs.ts';
import type { Published, Release } from './release.ts';

/** The credentials for one release. */
export interface RegistryAccess {
  /** The folder with the credentials; undefined for those of Docker. */
  readonly docker: string | undefined;
  close(): Promise<void>;
}

/**
 * Logs in with REGISTRY_USER and REGISTRY_PASSWORD; without them, the credentials of Docker count. The password is read
 * from the standard input, so that no list of processes has it.
 */
export async function openRegistry(registry: string): Promise<RegistryAccess> {
  const { REGISTRY_USER: user, REGISTRY_PASSWORD: input, DOCKER_CONFIG: present } = env;
  if (!user || !input) return { docker: present, close: async () => undefined };
  const docker = await mkdtemp(join(tmpdir(), 'vexil-docker-'));
  const close = () => rm(docker, { recursive: true });
  const args = ['login', registry.split('/')[0] ?? '', '--username', user, '--password-stdin'];
  try {
    await runQuietly(await releaseProgram('oras'), args, { input, environment: { DOCKER_CONFIG: docker } });
  } catch (error) {
    await close();
    throw error;
  }
  return { docker, close };
}

export interface PublishParts {
  readonly release: Release;
  readonly access: RegistryAccess;
  readonly key?: string;
  readonly say: (line: string) => void;
}

export async function publish({ release, access: { docker }, key, say }: PublishParts): Promise<void> {
  const oras = await releaseProgram('oras');
  const cosign = await releaseProgram('cosign');
  const environment = docker === undefined ? {} : { DOCKER_CONFIG: docker };
  const artifacts = [release.image, ...release.charts];
  for (const { name, digest } of artifacts)
    await refuseOther(`${name}:${release.version}`, digest, { oras, environment });
  for (const { name, layout } of artifacts) {
    const [from, to] = [`${layout}:${release.version}`, `${name}:${release.version}`];
    await runQuietly(oras, ['cp', '--recursive', '--from-oci-layout', from, to], { environment });
    say(`pushed ${to}`);
  }
  await signAll(release, createSigner({ cosign, environment, ...(key !== undefined && { key }) }));
  say('signed image, charts and SHA256SUMS');
  await appendFile(join(release.files, 'notes.md'), notesOf(release));
}

interface Asking {
  readonly oras: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The content of a version never changes: people and charts that name it would get something else. */
async function refuseOther(reference: string, digest: string, { oras, environment }: Asking): Promise<void> {
  const found = await runQuietly(oras, ['resolve', reference], { environment }).catch((error: Error) => {
    // Some registries hide what does not exist yet from those who may create it.
    if (/not found|denied|unauthorized|forbidden/i.test(error.message)) return digest;
    throw error;
  });
  if (found.trim() === digest) return;
  throw new Error(`${reference} is published already, with the digest ${found.trim()}: release another version`);
}

async function signAll({ image, charts, platforms, provenance, files }: Release, signer: Signer): Promise<void> {
  for (const { name, digest } of [image, ...charts]) await signer.sign(`${name}@${digest}`);
  await signer.attest(`${image.name}@${image.digest}`, 'slsaprovenance1', provenance);
  for (const { digest, bill } of platforms) await signer.attest(`${image.name}@${digest}`, 'cyclonedx', bill);
  await signer.signFile(join(files, 'SHA256SUMS'), join(files, 'SHA256SUMS.sigstore.json'));
}

function notesOf({ image, charts }: Release): string {
  const named = ({ name, digest }: Published) => `\`${name}@${digest}\``;
  return `\nImage ${named(image)}, charts ${charts.map(named).join(' and ')}.\n`;
}

interface SignerParts {
  /** The path of the program. */
  readonly cosign: string;
  /** A private key of cosign. Without it, Sigstore issues a certificate for the workflow. */
  readonly key?: string;
  /** Variables that lead to the credentials of the registry. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Signer {
  /** Signs the manifest, and with an index the manifests that it names. */
  sign(reference: string): Promise<void>;
  /** Attaches a signed attestation. */
  attest(reference: string, type: string, predicate: string): Promise<void>;
  /** Writes the signature of a file to a bundle. */
  signFile(file: string, bundle: string): Promise<void>;
}

/** A key signs without the public log of transparency: what a team publishes for itself stays with the team. */
function createSigner({ cosign, key, environment: access }: SignerParts): Signer {
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
