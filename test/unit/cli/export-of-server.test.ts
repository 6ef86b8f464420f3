/** An export of the flags that a server lists, some of which it refuses. */
import { expect, test } from 'vitest';
import { flagsOfServer } from '../../../cli/export/flags-of-server.ts';
import { writeYaml } from '../../../src/model/yaml/yaml.ts';
import { aFlag } from '../../support/builders.ts';
import { serving } from '../../support/serving.ts';

test('a flag that the server refuses is named, and the others are exported', async () => {
  const features = ['gone', 'here'].map((name) => ({ name, project: 'shop' }));
  const server = await serving(({ url = '' }, response) => {
    if (url.includes('/search/')) return void response.end(JSON.stringify({ features, total: 2 }));
    if (url.includes('/here')) return void response.end(writeYaml(aFlag('shop/here', { description: 'stays' })));
    response.statusCode = 404;
    return void response.end(JSON.stringify({ name: 'NotFoundError', message: 'There is no flag "gone".' }));
  });
  const exported = await flagsOfServer({ server }, 'people', { environment: { VEXIL_TOKEN: '*:*.x' } });
  expect(exported.files.map(({ path }) => path)).toEqual(['shop/featureflags/here.yaml']);
  expect(exported.notes).toEqual([expect.stringContaining('gone is left out: There is no flag')]);
});
