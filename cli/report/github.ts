/** A report as workflow commands of GitHub, which show each finding at its line of a pull request. */
import type { LintReport } from './report.ts';

export function githubReport({ findings }: LintReport): string {
  return findings
    .map(({ place: { file, line, column }, severity, message, rule }) => {
      const where = `file=${property(file)},line=${line},col=${column},title=${property(rule)}`;
      return `::${severity} ${where}::${escaped(message)}\n`;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
