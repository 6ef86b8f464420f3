/** Fails the build of a release if a base image is not pinned by digest. Arguments: `NAME=IMAGE@sha256:…`. */
import { argv, exit, stderr } from 'node:process';

const BY_DIGEST = /^[^=]+=[^@\s]+@sha256:[0-9a-f]{64}$/;

const unpinned = argv.slice(2).filter((base) => !BY_DIGEST.test(base));
for (const base of unpinned) {
  stderr.write(`${base} is not pinned by digest: docs/install.md describes how to find the digest of an image.\n`);
}
exit(unpinned.length === 0 ? 0 : 2);
