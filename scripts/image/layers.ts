/** Layers of the image: archives of a folder that have the same bytes for the same files. Needs GNU tar and gzip. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Descriptor, MEDIA_TYPES, type OciLayout } from './oci-layout.ts';
import { runQuietly } from './run-quietly.ts';

export interface Layer {
  readonly descriptor: Descriptor;
  /** The digest of the archive before it is compressed. */
  readonly diffId: string;
  /** What the layer has, for `docker history`. */
  readonly from: string;
}

export interface LayerFolder {
  readonly folder: string;
  readonly from: string;
  /** Additional options of tar, such as modes. */
  readonly options?: readonly string[];
}

/** Owner, times and order do not depend on the machine. */
const PLAIN = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];

export async function putLayer(layout: OciLayout, { folder, from, options = [] }: LayerFolder): Promise<Layer> {
  const archive = `${folder}.tar`;
  await runQuietly('tar', [...PLAIN, ...options, '-cf', archive, '-C', folder, '.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  await runQuietly('gzip', ['--no-name', '--force', archive]);
  const descriptor = await layout.putFile(MEDIA_TYPES.layer, `${archive}.gz`);
  return { descriptor, diffId: `sha256:${hash.digest('hex')}`, from };
}
