/**
 * Runs seeds, one after the other: `node test/simulation/main.ts [--first 1] [--count 1000]`. Ends at the first that
 * fails, with the smallest run that fails and its diary.
 */
import { parseArgs } from 'node:util';
import { type Run, run, shrink } from './run.ts';

const { values } = parseArgs({
  options: { first: { type: 'string', default: '1' }, count: { type: 'string', default: '1' } },
});
const first = Number(values.first);
const count = Number(values.count);
const began = Date.now();
let steps = 0;
let failed: Run | undefined;
for (let seed = first; seed < first + count && failed === undefined; seed += 1) {
  const tried = await run(seed);
  steps += tried.steps;
  if (tried.complaints.length > 0) failed = await shrink(seed);
}
const seconds = ((Date.now() - began) / 1000).toFixed(1);
const said = failed
  ? [...failed.diary, `seed ${failed.seed} fails:`, ...failed.complaints.slice(0, 20)]
  : [`${count} seeds from ${first}: ${steps} events in ${seconds} s, none fails`];
process.stdout.write(`${said.join('\n')}\n`);
process.exitCode = failed ? 1 : 0;
