/**
 * Runs seeds, one after the other: `node test/simulation/main.ts [--first 1] [--count 1000] [--no-shrink]`. Ends at the
 * first that fails, with its diary: that of the smallest run that fails, or of the whole one with --no-shrink.
 */
import { parseArgs } from 'node:util';
import { type Run, run, shrink } from './run.ts';

const { values } = parseArgs({
  options: {
    first: { type: 'string', default: '1' },
    count: { type: 'string', default: '1' },
    shrink: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const first = Number(values.first);
const count = Number(values.count);
const began = Date.now();
let steps = 0;
let failed: Run | undefined;
for (let seed = first; seed < first + count && failed === undefined; seed += 1) {
  const tried = await run(seed);
  steps += tried.steps;
  if (tried.complaints.length > 0) failed = values.shrink ? await shrink(seed) : tried;
}
const seconds = ((Date.now() - began) / 1000).toFixed(1);
const said = failed
  ? [...failed.diary, `seed ${failed.seed} fails:`, ...failed.complaints.slice(0, 20)]
  : [`${count} seeds from ${first}: ${steps} events in ${seconds} s, none fails`];
process.stdout.write(`${said.join('\n')}\n`);
process.exitCode = failed ? 1 : 0;
