/** Measures Vexil, compared with bare Express and the bare API server: `make bench`. */
import { parseArgs } from 'node:util';
import { describeChange, machineKind, storeBaseline } from './baseline.ts';
import { burst, bursts } from './bursts.ts';
import { type Comparison, comparisonsOf } from './comparisons.ts';
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
  'burst-patch': burst(bursts.described),
  'burst-switch': burst(bursts.switched),
  'burst-strategy': burst(bursts.strategyAdded),
  // This burst leaves flags behind.
  'burst-create': burst(bursts.created),
};

const USAGE = `Usage: node test/perf/main.ts [--rounds N] [--only ROW]... [--store] [--profile DIRECTORY]
  --rounds   how often each side is measured, 6 unless said
  --only     one of ${Object.keys(rows).join(', ')}; all unless said
  --store    keep the ratios, which later runs on machines of this kind are compared with
  --profile  where to leave a CPU profile of the operator`;

interface Options {
  readonly rounds: number;
  readonly only: readonly string[];
  readonly store: boolean;
  readonly profile: string | undefined;
}

function readOptions(): Options {
  const { rounds, only, store, profile } = parseArgs({
    options: {
      rounds: { type: 'string', default: '6' },
      only: { type: 'string', multiple: true, default: Object.keys(rows) },
      store: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  }).values;
  const unknown = only.filter((name) => !Object.hasOwn(rows, name));
  if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}`);
  if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds must be from 1 to 99, not ${rounds}`);
  return { rounds: Number(rounds), only, store, profile };
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

async function run({ rounds, only, store, profile }: Options, undoLater: (undo: Undo) => void): Promise<void> {
  process.stdout.write(`${describeMachine()}\n\n`);
  const stage = await setStage({ users: only.includes('users') ? USERS : 0, profile, say, undoLater });
  const bench = { ...(await prepareBench(stage, undoLater)), rounds };
  const measured: Record<string, readonly Comparison[]> = {};
  for (const [name, measure] of Object.entries(rows)) {
    if (!only.includes(name)) continue;
    say(`measuring ${name}`);
    const row = await measure(bench);
    measured[name] = comparisonsOf(row);
    process.stdout.write(`${describeRow(row)}\n`);
  }
  process.stdout.write(`${await describeChange(measured)}\n`);
  if (store) await storeBaseline(machineKind(), measured);
}

await runBench({ usage: USAGE, readOptions, run });
