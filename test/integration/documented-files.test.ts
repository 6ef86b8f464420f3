/** What the documentation shows of files: commands that need no cluster, and the flag of README.md. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { sharedCluster } from '../support/cluster.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { PAGE_OF_FILES, readPage, runDocumented } from '../support/documented-commands.ts';

test(`the commands of ${PAGE_OF_FILES} succeed, and print the documented output`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-documented-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await runDocumented({ page: PAGE_OF_FILES, folder });
});

test('the flag that README.md shows is accepted', async () => {
  const cluster = sharedCluster();
  const namespace = await cluster.freshNamespace('readme');
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(await readPage('README.md')) ?? [];
  const { metadata, ...flag } = parse(text);
  const body = { ...flag, metadata: { ...metadata, namespace } };
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  expect(await cluster.request({ method: 'POST', path: objectPath('ff', namespace), query, body })).toMatchObject({
    kind: 'FeatureFlag',
    metadata: { name: 'one-page-checkout' },
  });
});
