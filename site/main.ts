/**
 * Builds the documentation as a static site. Arguments: `--to`, the folder of the site, in which other versions stay;
 * `--repository`, the address at which the files of the repository are read online; `--from`, a folder other than the
 * project.
 */
import { join } from 'node:path';
import { exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { buildSite } from './build-site.ts';
import { DeadLinks } from './resolve-links.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const options = {
  from: { type: 'string', default: project },
  to: { type: 'string', default: join(project, 'dist/site') },
  repository: { type: 'string' },
} as const;
const { from: root, to, repository: url } = parseArgs({ options }).values;
const { version } = manifest;
try {
  const count = await buildSite(to, { root, url, version });
  stdout.write(`${join(to, version)}: ${count} pages\n`);
} catch (error) {
  if (!(error instanceof DeadLinks)) throw error;
  stderr.write(`${error.message}\n`);
  exit(1);
}
