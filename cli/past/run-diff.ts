/** `vexil diff`: what changed between two times. */

import { type FieldChange, fieldChanges } from '../../src/kube/object/field-changes.ts';
import { mapBounded } from '../connection/map-bounded.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { connectServer, type ServerConnection } from '../connection/server.ts';
import type { FlagOfProject } from '../flags/flag-on-server.ts';
import { changeLine } from '../plan/plan-text.ts';
import { plural } from '../plural.ts';
import { EXIT, jsonText, printableLine, type Terminal } from '../terminal.ts';
import { pastTimeOf } from '../time.ts';
import { flagsAt, manifestAt, statesAt } from './ask-at.ts';

export interface DiffOptions extends ServerOptions, OutputOptions {
  readonly from: string;
  readonly to?: string;
  readonly project?: string;
}

export interface FlagDiff extends FlagOfProject {
  readonly action: 'created' | 'changed' | 'gone' | 'none' | 'uncertain';
  readonly changes: readonly FieldChange[];
  /** Why one of the two states is uncertain. */
  readonly uncertain: readonly string[];
}

export async function runDiff(options: DiffOptions, terminal: Terminal): Promise<void> {
  const from = pastTimeOf('--from', options.from);
  const to = options.to === undefined ? undefined : pastTimeOf('--to', options.to);
  const server = await connectServer(options, terminal);
  const flags = await flagsAt(server, options.project, [from, to]);
  const diffs = await mapBounded(flags, (flag) => diffOf(server, flag, [from, to]));
  const shown = diffs.filter(({ action }) => action !== 'none');
  const json = { from, to: to ?? null, flags: shown };
  terminal.write(options.output === 'json' ? jsonText(json) : textOf(shown, terminal.isColoured));
  if (shown.length > 0) terminal.exit(EXIT.changes);
}

/** Two times; undefined: now. */
type ComparedTimes = readonly [from: string, to: string | undefined];

async function diffOf(server: ServerConnection, flag: FlagOfProject, [from, to]: ComparedTimes): Promise<FlagDiff> {
  const then = await statesAt(from, (time) => manifestAt(server, flag, time));
  const later =
    to === undefined
      ? { states: [{ when: 'certain', value: await manifestAt(server, flag, undefined) }], uncertain: [] }
      : await statesAt(to, (time) => manifestAt(server, flag, time));
  const uncertain = [...then.uncertain, ...later.uncertain];
  if (uncertain.length > 0) return { ...flag, action: 'uncertain', changes: [], uncertain };
  const [before, after] = [then.states[0]?.value, later.states[0]?.value];
  const changes = before && after ? fieldChanges(before, after) : [];
  return { ...flag, action: actionOf(before, after, changes), changes, uncertain };
}

function actionOf(before: unknown, after: unknown, changes: readonly FieldChange[]): FlagDiff['action'] {
  if (before === undefined) return after === undefined ? 'none' : 'created';
  if (after === undefined) return 'gone';
  return changes.length > 0 ? 'changed' : 'none';
}

function textOf(diffs: readonly FlagDiff[], isColoured: boolean): string {
  const lines = diffs.flatMap(({ project, name, action, changes, uncertain }) => [
    printableLine(`${action} ${project}/${name}`),
    ...changes.map((change) => `  ${changeLine(change, isColoured)}`),
    ...uncertain.map((message) => `  ${printableLine(message)}`),
  ]);
  const sum = diffs.length === 0 ? 'No flag differs.' : `${plural(diffs.length, 'flag differs', 'flags differ')}.`;
  return `${[...lines, sum].join('\n')}\n`;
}
