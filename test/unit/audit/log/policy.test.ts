/** The policy that the API server logs by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kinds } from '../../../../src/schema/kinds.ts';

const POLICY = join(import.meta.dirname, '../../../../config/audit-log/policy.yaml');

test('it logs the writes of each kind, and not those of statuses', () => {
  const { rules } = parse(readFileSync(POLICY, 'utf8'));
  const plurals = kinds.map(({ plural }) => plural).toSorted();
  expect(rules[0].resources).toEqual([{ group: 'vexil.dev', resources: plurals }]);
});
