/** The result of `vexil lint`, for all formats. */
import type { StateChange } from '../lint/compare-states.ts';
import type { LintResult } from '../lint/lint.ts';

export interface LintReport extends Pick<LintResult, 'findings' | 'checked' | 'passedOver'> {
  /** The changes since the commit of --against; undefined if nothing was compared. */
  readonly changes: readonly StateChange[] | undefined;
}

export function count(findings: LintResult['findings'], severity: 'error' | 'warning'): number {
  return findings.filter((finding) => finding.severity === severity).length;
}
