/** An OCI image layout in a folder, which registries, containerd and Docker read. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const MEDIA_TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Artifact {
  /** What the artifact is about. */
  readonly subject: Descriptor;
  readonly type: string;
  readonly content: string;
  readonly title: string;
}

export interface OciLayout {
  putText(mediaType: string, text: string): Promise<Descriptor>;
  putJson(mediaType: string, value: object): Promise<Descriptor>;
  /** Moves the file into the layout. */
  putFile(mediaType: string, file: string): Promise<Descriptor>;
  /** Puts an artifact that refers to another manifest, as registries list it. */
  putArtifact(artifact: Artifact): Promise<Descriptor>;
  /** Names the manifests of the layout. Without this, the layout is not complete. */
  finish(manifests: readonly Descriptor[]): Promise<void>;
}

/** Makes an empty layout. Deletes a former one in the folder. */
export async function createLayout(folder: string): Promise<OciLayout> {
  const blobs = join(folder, 'blobs/sha256');
  await rm(folder, { recursive: true, force: true });
  await mkdir(blobs, { recursive: true });
  const putText: OciLayout['putText'] = async (mediaType, text) => {
    const hash = createHash('sha256').update(text).digest('hex');
    await writeFile(join(blobs, hash), text);
    return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(text) };
  };
  const putJson: OciLayout['putJson'] = (mediaType, value) => putText(mediaType, JSON.stringify(value));
  return {
    putText,
    putJson,
    async putFile(mediaType, file) {
      const hash = createHash('sha256');
      await pipeline(createReadStream(file), hash);
      const digest = hash.digest('hex');
      const { size } = await stat(file);
      await rename(file, join(blobs, digest));
      return { mediaType, digest: `sha256:${digest}`, size };
    },
    async putArtifact({ subject, type, content, title }) {
      const { mediaType, digest, size } = subject;
      const manifest = await putJson(MEDIA_TYPES.manifest, {
        schemaVersion: 2,
        mediaType: MEDIA_TYPES.manifest,
        artifactType: type,
        config: await putText(MEDIA_TYPES.empty, '{}'),
        layers: [{ ...(await putText(type, content)), annotations: { 'org.opencontainers.image.title': title } }],
        subject: { mediaType, digest, size },
      });
      return { ...manifest, artifactType: type };
    },
    async finish(manifests) {
      await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
      const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests };
      await writeFile(join(folder, 'index.json'), JSON.stringify(index));
    },
  };
}
