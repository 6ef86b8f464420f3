/** Users get the same from imported flags as from the SDK of the product that the flags come from. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { importedFlags } from '../support/imported-flags.ts';
import { configCat } from '../support/other-products/configcat.ts';
import { flagsmith } from '../support/other-products/flagsmith.ts';
import { launchDarkly } from '../support/other-products/launchdarkly.ts';
import { FLAGS, installedPackage, randomOf } from '../support/other-products/product.ts';

const DOCUMENTS = 100;
const USERS = 25;

// Percentages are left out: each product hashes in its own way.
test.each([launchDarkly, configCat, flagsmith])(
  '$name',
  async (product) => {
    const folder = await installedPackage(product);
    const random = randomOf(seededRandom(7));
    let imported = 0;
    for (let round = 0; round < DOCUMENTS; round += 1) {
      const document = product.document(random);
      const flags = await importedFlags(JSON.stringify(document));
      const { evaluate, stop } = await product.start(folder, document);
      const lost = flags.unmapped.filter((line) => line.includes('Vexil has no such rules'));
      for (const flag of FLAGS.filter((name) => !lost.some((line) => line.split(/[:.]/).includes(name)))) {
        imported += 1;
        for (const user of random.times(USERS, USERS, () => product.user(random))) {
          const said = { value: await evaluate(flag, user), flag, user, document };
          expect({ ...said, value: flags.valueOf(flag, user) }).toEqual(said);
        }
      }
      stop();
    }
    // A test in which nothing is imported shows nothing.
    expect(imported).toBeGreaterThan(DOCUMENTS * FLAGS.length * 0.8);
  },
  600_000,
);
