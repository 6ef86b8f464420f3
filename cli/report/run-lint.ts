/** Lints manifests, and reports. */
import { Failure } from '../failure.ts';
import { writeReportFile } from '../files/manifest-file.ts';
import { compareStates } from '../lint/compare-states.ts';
import { lint } from '../lint/lint.ts';
import { readContextFields } from '../lint/read-context-fields.ts';
import { pathText } from '../manifests/field-path.ts';
import { isTracked, readSourcesAt } from '../manifests/git-source.ts';
import { readSources, refuseNothing, type Source } from '../manifests/source.ts';
import { EXIT, jsonText, type Terminal } from '../terminal.ts';
import { githubReport } from './github.ts';
import { markdownSummary } from './markdown.ts';
import { count, type LintReport } from './report.ts';
import { sarifReport } from './sarif.ts';
import { textReport } from './text.ts';

export interface LintOptions {
  readonly against?: string;
  readonly context?: readonly string[];
  readonly contextFields?: string;
  readonly format: 'text' | 'github' | 'sarif' | 'json';
  readonly namespace: string;
  readonly output?: 'text' | 'json';
  readonly strict: boolean;
  readonly summary?: string;
}

export async function runLint(paths: readonly string[], options: LintOptions, terminal: Terminal): Promise<void> {
  const { namespace, context: contextPaths = [] } = options;
  const now = terminal.now();
  const given = [...paths, ...contextPaths];
  if (options.against !== undefined && given.includes('-')) {
    const advice = 'write what standard input has to a file of the repository, and name that';
    throw new Failure(`--against compares files with a commit, which has no standard input: ${advice}`, EXIT.usage);
  }
  const context = await readSources(contextPaths, terminal.standardInput);
  const sources = await readSources(paths, terminal.standardInput);
  const fields = options.contextFields === undefined ? undefined : await readContextFields(options.contextFields);
  const result = await lint({ sources, context, namespace, now, contextFields: fields });
  const changes = options.against === undefined ? undefined : await changesSince(options.against);
  const report: LintReport = { ...result, changes };
  if (isNothing(report)) refuseNothing('check', paths);
  terminal.write(formatted(report, options, terminal));
  if (options.summary !== undefined) await writeReportFile(options.summary, markdownSummary(report));
  const isWrong = count(result.findings, 'error') > 0 || (options.strict && result.findings.length > 0);
  terminal.exit(isWrong ? EXIT.findings : EXIT.ok);

  async function changesSince(reference: string) {
    const before = await readSourcesAt(reference, paths);
    const earlier = await lint({ sources: before, context: await contextAt(reference), namespace, now });
    return compareStates(earlier.states, result.states);
  }

  /** Reads context that is in this repository as of the commit, and context of other repositories as it is now. */
  async function contextAt(reference: string): Promise<readonly Source[]> {
    const tracked = await Promise.all(contextPaths.map(isTracked));
    const before = await readSourcesAt(
      reference,
      contextPaths.filter((_, index) => tracked[index]),
    );
    const others = contextPaths.filter((_, index) => !tracked[index]);
    return [...before, ...(await readSources(others, terminal.standardInput))];
  }
}

/** Objects of other kinds show that the input was read. */
function isNothing({ checked, passedOver, findings, changes = [] }: LintReport): boolean {
  return checked === 0 && passedOver === 0 && findings.length === 0 && changes.length === 0;
}

function formatted(report: LintReport, { format, output }: LintOptions, { isColoured, version }: Terminal): string {
  switch (output ?? format) {
    case 'github':
      return githubReport(report);
    case 'sarif':
      return sarifReport(report, version);
    case 'json':
      return jsonReport(report);
    default:
      return textReport(report, isColoured);
  }
}

function jsonReport({ findings, checked, passedOver, changes }: LintReport): string {
  const flat = findings.map(({ place, path, ...finding }) => ({ ...place, path: pathText(path), ...finding }));
  const counts = { errors: count(findings, 'error'), warnings: count(findings, 'warning') };
  return jsonText({ ...counts, checked, passedOver, findings: flat, ...(changes && { changes }) });
}
