/** A report as SARIF 2.1.0, which code hosts show as alerts. */

import { jsonText } from '../terminal.ts';
import type { LintReport } from './report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifReport({ findings }: LintReport, version: string): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort().map((id) => ({ id }));
  const results = findings.map(({ place: { file, line, column }, severity, message, rule }) => ({
    ruleId: rule,
    level: severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  const driver = { name: 'vexil', version, rules };
  return jsonText({ $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results }] });
}
