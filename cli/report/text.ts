/** A report as lines for a terminal. */
import { styleText } from 'node:util';
import type { StateChange } from '../lint/compare-states.ts';
import type { Finding } from '../lint/finding.ts';
import { placeText } from '../manifests/place.ts';
import { plural } from '../plural.ts';
import { printableLine } from '../terminal.ts';
import { effectWords } from './change-words.ts';
import { count, type LintReport } from './report.ts';

/** `file:line:column: error: message (rule)`, which editors and terminals link to the place. */
export function textReport({ findings, checked, passedOver, changes }: LintReport, isColoured: boolean): string {
  const lines = findings.map((finding) => line(finding, isColoured));
  const sum = `${plural(checked, 'object')} checked, ${plural(count(findings, 'error'), 'error')}, ${plural(count(findings, 'warning'), 'warning')}`;
  const others = passedOver === 0 ? '' : `, ${plural(passedOver, 'object')} of other kinds passed over`;
  return [...lines, ...(changes ?? []).map((change) => printableLine(changeLine(change))), `${sum}${others}`, ''].join(
    '\n',
  );
}

function line({ place, severity, message, rule }: Finding, isColoured: boolean): string {
  const shown = isColoured
    ? styleText(severity === 'error' ? 'red' : 'yellow', severity, { validateStream: false })
    : severity;
  return `${printableLine(placeText(place))}: ${shown}: ${printableLine(message)} (${rule})`;
}

function changeLine(change: StateChange): string {
  const words = effectWords(change, (name) => name);
  if ('segment' in change) return `segment ${change.segment}: ${words}`;
  const { flag, project, environment } = change;
  return `${project}/${flag}: ${words}${environment === undefined ? '' : ` in ${environment}`}`;
}
