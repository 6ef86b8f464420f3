/**
 * Writes one batch after the other into the archive of the first argument, and prints each key once it is committed.
 */
import { argv, stdout } from 'node:process';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { anEntry } from './an-entry.ts';
import { record } from './gather.ts';

const archive = openArchive(argv[2] ?? '', { notice: () => {} });
for (let index = 0; ; index += 1) {
  await record(archive, [anEntry(`k${index}`), anEntry(`l${index}`)]);
  stdout.write(`k${index}\nl${index}\n`);
}
