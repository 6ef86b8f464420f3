/** `vexil test`: checks whether flags are as cases expect. */
import { loadManifests } from '../evaluate/load-manifests.ts';
import { readSources, refuseNothing } from '../manifests/source.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { timeOf } from '../time.ts';
import { readCases } from './read-cases.ts';
import { casesJson, casesJunit, casesText } from './report.ts';
import { runCases } from './run-cases.ts';

export interface TestOptions {
  readonly filename: readonly string[];
  readonly at?: string;
  readonly namespace: string;
  readonly output: 'text' | 'json' | 'junit';
}

const reports = { text: casesText, json: casesJson, junit: casesJunit } as const;

export async function runTest(paths: readonly string[], options: TestOptions, terminal: Terminal): Promise<void> {
  const { filename, namespace, output } = options;
  const at = timeOf(options.at, terminal.now());
  const cases = (await readSources(paths, terminal.standardInput)).flatMap(readCases);
  if (cases.length === 0) refuseNothing('test', paths);
  const cluster = await loadManifests({ paths: filename, namespace }, terminal);
  const results = runCases(cases, cluster, at);
  terminal.write(reports[output](results));
  terminal.exit(results.some(({ failure }) => failure !== undefined) ? EXIT.findings : EXIT.ok);
}
