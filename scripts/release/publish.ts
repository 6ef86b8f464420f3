/** Pushes a release to its registry, and signs it there. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { releaseProgram } from '../../test/support/tools/release-programs.ts';
import { runQuietly } from '../image/run-quietly.ts';
import type { Published, Release } from './release.ts';
import { createSigner, type Signer } from './signer.ts';

export interface PublishParts {
  readonly release: Release;
  readonly registry: string;
  readonly key?: string;
  readonly say: (line: string) => void;
}

/** REGISTRY_USER and REGISTRY_PASSWORD log in; without them, the credentials of Docker count. */
export async function publish({ release, registry, key, say }: PublishParts): Promise<void> {
  const oras = await releaseProgram('oras');
  const cosign = await releaseProgram('cosign');
  const docker = await mkdtemp(join(tmpdir(), 'vexil-docker-'));
  try {
    const folder = (await logIn(oras, registry, docker)) ? docker : (env['DOCKER_CONFIG'] ?? '');
    const environment = folder === '' ? {} : { DOCKER_CONFIG: folder };
    for (const { name, layout } of [release.image, ...release.charts]) {
      const [from, to] = [`${layout}:${release.version}`, `${name}:${release.version}`];
      await runQuietly(oras, ['cp', '--recursive', '--from-oci-layout', from, to], { environment });
      say(`pushed ${to}`);
    }
    await signAll(release, createSigner({ cosign, docker: folder, ...(key !== undefined && { key }) }));
    say('signed image, charts and SHA256SUMS');
  } finally {
    await rm(docker, { recursive: true });
  }
  await appendFile(join(release.files, 'notes.md'), notesOf(release));
}

/** The password is read from the standard input, so that no list of processes has it. */
async function logIn(oras: string, registry: string, docker: string): Promise<boolean> {
  const { REGISTRY_USER: user, REGISTRY_PASSWORD: input } = env;
  if (!user || !input) return false;
  const host = registry.split('/')[0] ?? '';
  const args = ['login', host, '--username', user, '--password-stdin'];
  await runQuietly(oras, args, { input, environment: { DOCKER_CONFIG: docker } });
  return true;
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
