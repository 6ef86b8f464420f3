import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutations } from '../../simulation/mutations.ts';

test('each defect that the simulation must find changes code that is there once', () => {
  const gone = mutations.filter(({ file, line }) => readFileSync(file, 'utf8').split(line).length !== 2);
  expect(gone.map(({ what }) => what)).toEqual([]);
});
