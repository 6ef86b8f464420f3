/** Measures Vexil beside bare Express and the bare API server: `make bench`. */
import { parseArgs } from 'node:util';
import { describeMachine, describeRow } from './report.ts';
import { patchDescription, prepareBench, readChangingList, readFlag, readList } from './rows.ts';
import { setStage } from './stage.ts';

const rows = { flag: readFlag, list: readList, 'changing-list': readChangingList, patch: patchDescription };

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

const undoing: (() => Promise<void> | void)[] = [];
let interrupted = false;

async function undoAll(): Promise<void> {
  for (let undo = undoing.pop(); undo !== undefined; undo = undoing.pop()) await undo();
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

async function run({ rounds, only, profile }: Options): Promise<void> {
  const undoLater = (undo: () => Promise<void> | void) => void undoing.push(undo);
  process.stdout.write(`${describeMachine()}\n\n`);
  const stage = await setStage({ profile, say, undoLater });
  const bench = { ...(await prepareBench(stage, undoLater)), rounds };
  for (const [name, measure] of Object.entries(rows)) {
    if (!only.includes(name)) continue;
    say(`measuring ${name}`);
    process.stdout.write(`${describeRow(await measure(bench))}\n`);
  }
}

function interrupt(): void {
  if (interrupted) process.exit(130);
  interrupted = true;
  void undoAll().finally(() => process.exit(130));
}

function optionsOrUsage(): Options {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    return process.exit(2);
  }
}

process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
const options = optionsOrUsage();

try {
  await run(options);
} catch (error) {
  // What is ending because someone ended it has nothing to complain about.
  if (!interrupted) throw error;
} finally {
  if (!interrupted) await undoAll();
}
