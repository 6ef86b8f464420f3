/** Refuses to build a release over bases that are not named by digest: `NAME=IMAGE@sha256:…`, one for each argument. */
import { argv, exit, stderr } from 'node:process';

const BY_DIGEST = /^[^=]+=[^@\s]+@sha256:[0-9a-f]{64}$/;

const open = argv.slice(2).filter((base) => !BY_DIGEST.test(base));
for (const base of open) {
  stderr.write(`${base} is not named by digest: docs/install.md says how to find the digest of an image.\n`);
}
exit(open.length === 0 ? 0 : 2);
