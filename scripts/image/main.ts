/**
 * `make image` without a container engine: makes the image as an OCI layout in dist/image, from the output of
 * `npm run build`. Arguments: `--from` and `--to`, the folders of the build and of the layout.
 */
import { join } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { makeImageLayout } from './image-layout.ts';
import { presentCommit } from './origin.ts';

const root = join(import.meta.dirname, '../..');
const { from: built, to } = parseArgs({
  options: {
    from: { type: 'string', default: join(root, 'dist') },
    to: { type: 'string', default: join(root, 'dist/image') },
  },
}).values;
const commit = await presentCommit(root);
const sources = { root, built, cache: join(root, '.cache/image'), ...commit };
const { digest, manifests } = await makeImageLayout(to, sources);
for (const { platform, digest: one, size } of manifests)
  stdout.write(`linux/${platform?.architecture} ${one} (manifest of ${size} bytes)\n`);
stdout.write(`vexil:${commit.origin.version}@${digest}\n`);
