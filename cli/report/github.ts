/** A report as workflow commands of GitHub, which show each finding at its line of a pull request. */
import type { Finding } from '../lint/finding.ts';
import type { Place } from '../manifests/place.ts';
import { printable } from '../terminal.ts';
import type { LintReport } from './report.ts';

export function githubReport({ findings }: LintReport): string {
  return findings.map(workflowCommand).join('');
}

interface Annotation extends Omit<Finding, 'path' | 'place'> {
  /** Absent if the annotation belongs to no line. */
  readonly place?: Place | undefined;
}

export function workflowCommand({ place, severity, message, rule }: Annotation): string {
  const at = place ? `file=${property(place.file)},line=${place.line},col=${place.column},` : '';
  return `::${severity} ${at}title=${property(rule)}::${escaped(message)}\n`;
}

function escaped(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
