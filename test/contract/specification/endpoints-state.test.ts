/** Chapter "Endpoints", deprecated state API: rows 23 and 24, the document, and what a failed import answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { aFlag, aStrategyType } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('spec-state');
  const { home } = instance;
  const parameters = { rollout: 25, groupId: 'g', stickiness: 'default' };
  await instance.apply(
    aStrategyType(`${home}/country`, {
      description: 'by country',
      parameters: [{ name: 'countries', type: 'list', description: 'codes', required: true }],
    }),
    aFlag(`${home}/flag`, {
      description: 'about it',
      variants: [{ name: 'blue' }],
      environments: { development: { enabled: true, strategies: { a: { name: 'flexibleRollout', parameters } } } },
    }),
  );
});
afterAll(() => instance.stop());

const EXPORT = 'GET /state/export';
const IMPORT = 'POST /state/import';

describe('23: GET /state/export', () => {
  test('the state document: version, features and strategies with each of their fields', async () => {
    const { status, body, headers } = await instance.call(EXPORT);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.version).toBe(4);
    expect(body.features).toMatchObject([
      {
        name: 'flag',
        description: 'about it',
        enabled: true,
        strategies: [{ name: 'flexibleRollout', parameters: { rollout: 25, groupId: 'g', stickiness: 'default' } }],
        variants: [{ name: 'blue', weight: 1000 }],
      },
    ]);
    expect(body.strategies).toMatchObject([
      {
        name: 'country',
        description: 'by country',
        parameters: [{ name: 'countries', type: 'list', description: 'codes', required: true }],
      },
    ]);
  });

  test('format: json by default, or yaml; anything else is 400', async () => {
    const [byDefault, json, yaml] = await Promise.all([
      instance.call(EXPORT),
      instance.call(`${EXPORT}?format=json`),
      instance.call(`${EXPORT}?format=yaml`),
    ]);
    expect(json.text).toBe(byDefault.text);
    expect(yaml.headers.get('content-type')).toBe('text/yaml; charset=utf-8');
    expect(parse(yaml.text)).toEqual(byDefault.body);
    const message = await instance.refuses(`${EXPORT}?format=xml`, { status: 400, name: 'ValidationError' });
    for (const word of ['`format`', 'json', 'yaml', '"xml"']) expect(message).toContain(word);
  });

  test('download: false by default; otherwise a file with a name', async () => {
    const disposition = async (query: string) =>
      (await instance.call(EXPORT + query)).headers.get('content-disposition');
    expect(await disposition('')).toBeNull();
    expect(await disposition('?download=false')).toBeNull();
    expect(await disposition('?download=true')).toMatch(
      /^attachment; filename="export-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.json"$/,
    );
    expect(await disposition('?download=1&format=yaml')).toMatch(/\.yml"$/);
  });

  test.each([
    ['featureToggles', ['features', 'featureTags', 'featureStrategies', 'featureEnvironments']],
    ['strategies', ['strategies']],
    ['projects', ['projects']],
    ['environments', ['environments']],
    ['tags', ['tagTypes', 'tags', 'featureTags']],
  ])('%s: true by default; without it its sections are empty lists', async (name, sections) => {
    const whole = (await instance.call(`${EXPORT}?${name}=true`)).body;
    const { body } = await instance.call(`${EXPORT}?${name}=false`);
    expect(Object.keys(body)).toEqual(Object.keys(whole));
    for (const section of sections) expect(body[section], section).toEqual([]);
  });
});

describe('24: POST /state/import', () => {
  const document = (name: string) => ({
    version: 1,
    features: [
      { name, project: 'shop', description: 'd', enabled: true, strategies: [{ name: 'default', parameters: {} }] },
    ],
  });
  const isThere = async (name: string) => (await instance.call(`GET /projects/shop/features/${name}`)).status;

  test('a JSON body: 202, and the flags are there', async () => {
    expect((await instance.call(IMPORT, { body: document('from-json') })).status).toBe(202);
    expect(await isThere('from-json')).toBe(200);
  });

  test('a multipart upload with a file, JSON or YAML: 202, and the flags are there', async () => {
    for (const [file, text] of [
      ['state.json', JSON.stringify(document('from-file-json'))],
      ['state.yaml', 'version: 1\nfeatures:\n- name: from-file-yaml\n  project: shop\n'],
    ] as const) {
      const form = new FormData();
      form.append('file', new Blob([text]), file);
      const answer = await fetch(`${instance.url}/api/admin/state/import`, { method: 'POST', body: form });
      expect([answer.status, await answer.text()]).toEqual([202, 'Accepted']);
    }
    expect([await isThere('from-file-json'), await isThere('from-file-yaml')]).toEqual([200, 200]);
  });

  test('keep: existing configurations stay as they are, and missing flags are inserted', async () => {
    const body = {
      features: [
        { name: 'flag', project: 'shop', description: 'other' },
        { name: 'missing', project: 'shop' },
      ],
    };
    expect((await instance.call(`${IMPORT}?keep=true`, { body })).status).toBe(202);
    expect((await instance.call('GET /projects/shop/features/flag')).body.description).toBe('about it');
    expect(await isThere('missing')).toBe(200);
  });

  test('drop: all other strategies and features are cleared', async () => {
    const body = { ...document('only'), strategies: [] };
    expect((await instance.call(`${IMPORT}?drop=true`, { body })).status).toBe(202);
    const { features, strategies } = (await instance.call(EXPORT)).body;
    expect([features.map(({ name }: { name: string }) => name), strategies]).toEqual([['only'], []]);
  });

  test('Error 400: a failed import answers the error object, and has changed nothing', async () => {
    const body = { features: [{ name: 'fine', project: 'shop' }, { name: 'not fine' }] };
    const message = await instance.refuses(IMPORT, { status: 400, name: 'ValidationError', body });
    for (const word of ['`features[1].name`', '"not fine"']) expect(message).toContain(word);
  });
});
