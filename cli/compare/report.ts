/** The result of a comparison as text and as JSON. */

import type { Coverage } from '../../src/evaluation/contexts/coverage.ts';
import { plural } from '../plural.ts';
import { jsonText, printableLines } from '../terminal.ts';
import type { Difference, DifferingUser } from './compare.ts';
import type { SdkDoubt } from './sdk-doubts.ts';

export interface CompareReport {
  readonly addresses: readonly string[];
  readonly environments: readonly string[];
  /** The number of flags. */
  readonly flags: number;
  readonly contexts: number;
  /** The number of environments in which the frontend APIs were compared. */
  readonly frontends: number;
  readonly coverage: Coverage;
  readonly differences: readonly Difference[];
  readonly doubts: readonly SdkDoubt[];
}

const MAX_SHOWN = 10;

export function compareText(report: CompareReport): string {
  const { addresses, differences, doubts, coverage } = report;
  const missing = coverage.missing().map(({ name }) => name);
  const lines = [
    `A is ${addresses[0]}, B is ${addresses[1]}`,
    ...differences.flatMap(linesOf),
    ...doubts.map(({ environment, flag, message }) => `${flag} in ${environment}, by SDK: ${message}`),
    ...missing.slice(0, MAX_SHOWN).map((name) => `not reached: ${name}`),
    ...(missing.length > MAX_SHOWN ? [`not reached: ${missing.length - MAX_SHOWN} more, see --output json`] : []),
    sumOf(report, missing.length),
  ];
  return printableLines(lines);
}

function linesOf({ environment, flag, where, count, users }: Difference): readonly string[] {
  const place = where === 'document' ? 'SDKs' : 'frontend';
  return [`${flag} in ${environment}, ${place}: ${differing(count, 'context')}`, ...users.flatMap(userLines)];
}

function userLines({ context, a, b, whyA, whyB }: DifferingUser): readonly string[] {
  return [`  ${JSON.stringify(context)}`, `    A: ${a} (${whyA})`, `    B: ${b} (${whyB})`];
}

function sumOf(
  { flags, contexts, environments, frontends, coverage, differences }: CompareReport,
  missing: number,
): string {
  const differingFlags = new Set(differences.map(({ flag }) => flag)).size;
  const asked = `${plural(flags, 'flag')}, ${plural(contexts, 'context')}, ${plural(environments.length, 'environment')}`;
  const reached = `${coverage.size - missing} of ${coverage.size} branches reached`;
  const ofFrontends = frontends === 0 ? ', no frontend tokens' : `, ${plural(frontends, 'frontend')}`;
  return `${asked}${ofFrontends}: ${differingFlags === 0 ? 'no flag differs' : differing(differingFlags, 'flag')}; ${reached}`;
}

function differing(count: number, what: string): string {
  return `${plural(count, what)} ${count === 1 ? 'differs' : 'differ'}`;
}

export function compareJson({ coverage, ...report }: CompareReport): string {
  const missing = coverage.missing().map(({ name }) => name);
  return jsonText({ ...report, coverage: { branches: coverage.size, notReached: missing } });
}
