/** A report as JSON. */
import { pathText } from '../manifests/field-path.ts';
import { count, type LintReport } from './report.ts';

export function jsonReport({ findings, checked, passedOver, changes }: LintReport): string {
  const flat = findings.map(({ place, path, ...finding }) => ({ ...place, path: pathText(path), ...finding }));
  const counts = { errors: count(findings, 'error'), warnings: count(findings, 'warning') };
  return `${JSON.stringify({ ...counts, checked, passedOver, findings: flat, ...(changes && { changes }) }, null, 2)}\n`;
}
