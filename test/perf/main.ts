/** Measures Vexil beside bare Express and the bare API server: `make bench`. */
import { parseArgs } from 'node:util';
import { evaluateAll, evaluateOne } from './evaluated-rows.ts';
import { changes } from './patches.ts';
import { describeMachine, describeRow } from './report.ts';
import {
  pollFlags,
  pollUnchanged,
  prepareBench,
  readChangingList,
  readFlag,
  readList,
  reportChanges,
  searchUsers,
  seeChanges,
  write,
} from './rows.ts';
import { runBench, type Undo } from './run-bench.ts';
import { pollForChanges, pollWhileChanging } from './sdk-rows.ts';
import { setStage } from './stage.ts';
import { USERS } from './users.ts';

const rows = {
  flag: readFlag,
  list: readList,
  'changing-list': readChangingList,
  patch: write(changes.described),
  strategy: write(changes.strategyAdded),
  switch: write(changes.switched),
  variants: write(changes.variantsReplaced),
  sight: seeChanges,
  sdk: pollFlags,
  'sdk-304': pollUnchanged,
  'sdk-sight': pollForChanges,
  'sdk-loop': pollWhileChanging,
  frontend: evaluateAll,
  ofrep: evaluateOne,
  users: searchUsers,
  history: reportChanges,
};

const USAGE = `Usage: node test/perf/main.ts [--rounds N] [--only ROW]... [--profile DIRECTORY]
  --rounds   how often each side is measured, 6 unless said
  --only     one of ${Object.keys(rows).join(', ')}; all unless said
  --profile  where to leave a CPU profile of the operator`;

interface Options {
  readonly rounds: number;
  readonly only: readonly string[];
  readonly profile: string | undefined;
}

function readOptions(): Options {
  const { rounds, only, profile } = parseArgs({
    options: {
      rounds: { type: 'string', default: '6' },
      only: { type: 'string', multiple: true, default: Object.keys(rows) },
      profile: { type: 'string' },
    },
  }).values;
  const unknown = only.filter((name) => !Object.hasOwn(rows, name));
  if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}`);
  if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds must be from 1 to 99, not ${rounds}`);
  return { rounds: Number(rounds), only, profile };
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

async function run({ rounds, only, profile }: Options, undoLater: (undo: Undo) => void): Promise<void> {
  process.stdout.write(`${describeMachine()}\n\n`);
  const stage = await setStage({ users: only.includes('users') ? USERS : 0, profile, say, undoLater });
  const bench = { ...(await prepareBench(stage, undoLater)), rounds };
  for (const [name, measure] of Object.entries(rows)) {
    if (!only.includes(name)) continue;
    say(`measuring ${name}`);
    process.stdout.write(`${describeRow(await measure(bench))}\n`);
  }
}

await runBench({ usage: USAGE, readOptions, run });
