/** What is said about an image: its bill of materials, and where it comes from. */
import type { FetchedPackage } from './debian-packages.ts';
import type { NodeProgram } from './node-program.ts';
import type { Descriptor } from './oci-layout.ts';
import type { ImagePlatform } from './platforms.ts';

export const BILL_TYPE = 'application/vnd.cyclonedx+json';
export const STATEMENT_TYPE = 'application/vnd.in-toto+json';

/** What an image of one platform is made of, in addition to the build. */
export interface ImageParts {
  readonly platform: ImagePlatform;
  readonly packages: readonly FetchedPackage[];
  readonly node: NodeProgram;
}

interface Bill {
  readonly components: readonly object[];
}

/** Adds the Debian packages of the image to the bill of materials of the build, which has Node.js and npm packages. */
export function billOfImage(bill: string, { platform, packages }: ImageParts): string {
  const whole: Bill = JSON.parse(bill);
  const debian = packages.map(({ name, version, sha256 }) => {
    const purl = debianUrl(name, version, platform);
    const hashes = [{ alg: 'SHA-256', content: sha256 }];
    return { 'bom-ref': purl, type: 'library', name, version, hashes, purl };
  });
  return `${JSON.stringify({ ...whole, components: [...whole.components, ...debian] }, null, 2)}\n`;
}

function debianUrl(name: string, version: string, platform: ImagePlatform): string {
  return `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${platform}&distro=debian-12`;
}

export interface Origin {
  /** The commit. */
  readonly revision: string;
  readonly version: string;
  /** The URI of the repository, if it is known. */
  readonly repository?: string;
  /** The URI of what built the image. */
  readonly builder: string;
}

/** The predicate of SLSA provenance. It has no time, so that the same build says the same. */
export function provenanceOf({ revision, version, repository, builder }: Origin, parts: readonly ImageParts[]): object {
  const source = { uri: repository ? `git+${repository}` : 'git+file:.', digest: { gitCommit: revision } };
  const dependencies = parts.flatMap(({ platform, packages, node }) => [
    ...packages.map(({ name, version: of, sha256 }) => ({ uri: debianUrl(name, of, platform), digest: { sha256 } })),
    { uri: `pkg:npm/${node.name}@${node.version}`, digest: { sha512: hexOf(node.integrity) } },
  ]);
  return {
    buildDefinition: {
      buildType: 'https://vexil.dev/build/image-layout/v1',
      externalParameters: { version, platforms: parts.map(({ platform }) => platform) },
      resolvedDependencies: [source, ...dependencies],
    },
    runDetails: { builder: { id: builder } },
  };
}

/** The statement of in-toto about an image. */
export function provenanceStatement(name: string, { digest }: Descriptor, predicate: object): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha256: digest.replace('sha256:', '') } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate,
  };
  return `${JSON.stringify(statement)}\n`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
}
