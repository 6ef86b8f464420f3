/** Unusual text that is valid: written, stored and answered unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;
const strategies = '/projects/shop/features/texts/environments/production/strategies';

beforeAll(async () => {
  instance = await startInstance('texts');
  await instance.apply(aFlag(`${instance.home}/texts`, { environments: { production: {} } }));
});
afterAll(() => instance.stop());

const texts: readonly (readonly [string, string])[] = [
  ['é composed (NFC)', 'caf\u00e9'],
  ['é decomposed (NFD)', 'cafe\u0301'],
  ['emoji with joiners', '🚩👩‍👩‍👧'],
  ['bidi controls', '\u202eabc\u2066d\u2069'],
  ['every control character', String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 127, 133)],
  ['separators of lines', 'a\r\nb\u2028c\u2029d'],
  ['noncharacters', '\uffff\ufffe\ufdd0'],
  ['a byte order mark', '\ufeffa\ufeff'],
  ['zero width', 'a\u200b\u200db'],
];

describe('text is answered and stored as it was sent', () => {
  test.each(texts)('%s in a description', async (_, description) => {
    const { body } = await instance.call('PUT /projects/shop/features/texts', { body: { description } });
    expect(body.description).toBe(description);
    expect((await instance.call('GET /projects/shop/features/texts')).body.description).toBe(description);
    expect((await instance.flag(`${instance.home}/texts`)).spec.description).toBe(description);
    const again = await instance.untouched('PUT /projects/shop/features/texts', { body: { description } });
    expect(again.status).toBe(200);
  });

  test.each(texts)('%s in the title, the parameters and the names of parameters', async (_, odd) => {
    const sent = { name: 'default', title: odd, parameters: { [odd]: odd, deeper: [{ [odd]: odd }] } };
    const { status, body } = await instance.call(`POST ${strategies}`, { body: sent });
    expect(status).toBe(200);
    expect(body).toMatchObject(sent);
    expect((await instance.call(`GET ${strategies}/${body.id}`)).body).toMatchObject(sent);
    const { spec } = await instance.flag(`${instance.home}/texts`);
    expect(spec.environments.production.strategies[body.id]).toMatchObject(sent);
  });

  test('numbers keep their value, except digits that JavaScript cannot represent', async () => {
    const parameters =
      '{"one":1.0,"minus":-0,"big":1e300,"small":5e-324,"beyond":9007199254740993,"exact":"9007199254740993"}';
    const { body } = await instance.call(`POST ${strategies}`, {
      body: `{"name":"default","parameters":${parameters}}`,
    });
    const { one, minus, big, small, beyond, exact } = body.parameters;
    expect([one, minus, big, small]).toEqual([1, 0, 1e300, 5e-324]);
    expect([beyond, exact]).toEqual([9007199254740992, '9007199254740993']);
  });

  test('names that all objects have are ordinary names, in parameters and of flags', async () => {
    const parameters = { constructor: 1, prototype: { polluted: 1 }, toString: 't', hasOwnProperty: null };
    const { body } = await instance.call(`POST ${strategies}`, { body: { name: 'default', parameters } });
    expect(body.parameters).toEqual(parameters);
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const created = await instance.call('POST /projects/shop/features', { body: { name } });
      expect([created.status, created.body.name]).toEqual([201, name]);
      expect((await instance.call(`GET /projects/shop/features/${name}`)).body.name).toBe(name);
      const variants = await instance.call(`PUT /projects/shop/features/${name}/variants`, { body: [{ name }] });
      expect(variants.body.variants).toMatchObject([{ name, weight: 1000 }]);
      expect((await instance.call(`DELETE /projects/shop/features/${name}`)).status).toBe(202);
      expect((await instance.call(`DELETE /archive/${name}`)).status).toBe(200);
    }
  });
});
