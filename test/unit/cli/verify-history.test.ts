/** history verify reads the chain again if it was changed on purpose while it was read. */
import { expect, test } from 'vitest';
import { runVerify } from '../../../cli/verify/run-verify.ts';
import { CHAIN_START } from '../../../src/domain/history/chain.ts';
import { createChainVerifier } from '../../../src/domain/history/verify-chain.ts';
import { serving } from '../../support/serving.ts';

const start = { line: 'start', ...CHAIN_START, before: 0 };
const end = (moved: boolean) => ({ line: 'end', ...CHAIN_START, waiting: 0, moved });
/** A row that a verification cannot place. */
const stray = { line: 'stray', kind: 'entry', ref: 7, row: { id: 7 } };
const found = [start, stray, end(true)];
const clean = [start, end(false)];

/** Verifies a server that gives these answers one after the other, and then the last one again. */
async function verify(...answers: readonly (readonly object[])[]) {
  let reads = 0;
  const server = await serving((_, response) => {
    const lines = answers[Math.min(reads, answers.length - 1)] ?? [];
    reads += 1;
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const said: unknown[] = [];
  const terminal = {
    environment: {},
    write: (text: string) => void said.push(text),
    exit: (status: number) => void said.push(status),
  };
  await runVerify({ server, output: 'text' } as never, terminal as never);
  return { reads, said: said.join('\n') };
}

test('a finding is looked for again', async () => {
  expect(await verify(found, found, clean)).toEqual({ reads: 3, said: expect.stringMatching(/^0 links[\s\S]*\n0$/) });
});

test('a finding that stays is named, with what may be its cause', async () => {
  const { reads, said } = await verify(found);
  expect(reads).toBe(5);
  expect(said).toMatch(/^inserted: entry 7 [\s\S]*changed on purpose while it was read: verify again later[\s\S]*\n1$/);
});

test('without such a change, the first finding counts', async () => {
  const { reads, said } = await verify([start, stray, end(false)]);
  expect([reads, said]).toEqual([1, expect.not.stringContaining('on purpose')]);
});

test.each([
  ['null', null, 'Vexil answered a line of another form'],
  ['a list', [start], 'Vexil answered a line of another form'],
  ['a link without a row', { line: 'link', n: 1, kind: 'entry' }, 'Vexil answered a line that cannot be verified'],
])('a line that is %s is refused with a sentence', async (_, line, sentence) => {
  await expect(verify([start, line as object])).rejects.toThrow(sentence);
});

test('nothing is read after the last line', async () => {
  const { said } = await verify([...clean, { line: 'link' }]);
  expect(said).toMatch(/^0 links[\s\S]*\n0$/);
});

test('rows that wait for their amendment are bounded', () => {
  const verifier = createChainVerifier({ maxClaims: 2 });
  const amended = { salt: 'salt', digest: 'digest', n: 100 };
  const acceptRow = (n: number) => {
    const link = { n, link: 'x', kind: 'entry', ref: n, at: 1, salt: null, digest: 'digest', content: null } as const;
    verifier.accept({ line: 'link', ...link, row: { id: n }, says: null, amended, rows: null });
  };
  for (const n of [1, 2]) acceptRow(n);
  expect(() => acceptRow(3)).toThrow('more than 2 rows wait for their amendment');
});
