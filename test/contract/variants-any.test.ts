/** PUT …/variants for generated lists: the answer is complete. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyVariants } from '../support/any-variants.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('variants-any');
  await instance.apply(aFlag(`${instance.home}/any`));
});
afterAll(() => instance.stop());

test.each([
  ['for all environments', '/projects/shop/features/any/variants'],
  ['in one environment', '/projects/shop/features/any/environments/production/variants'],
])(
  'any valid list, %s: the weights add up to 1000, fixed ones are unchanged, and everything sent is answered',
  async (_, path) => {
    await fc.assert(
      fc.asyncProperty(anyVariants(80), async (sent) => {
        const { status, body, text } = await instance.call(`PUT ${path}`, { body: sent });
        expect(status, text).toBe(200);
        expect((await instance.call(`GET ${path}`)).body).toEqual(body);
        const total = body.variants.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0);
        expect(total).toBe(sent.length === 0 ? 0 : 1000);
        const byName = new Map(body.variants.map((one: { name: string }) => [one.name, one]));
        expect(byName.size).toBe(sent.length);
        for (const { weight, ...said } of sent) {
          expect(byName.get(said.name)).toMatchObject(said.weightType === 'fix' ? { ...said, weight } : said);
        }
      }),
      { seed: 15, numRuns: 20 },
    );
  },
);
