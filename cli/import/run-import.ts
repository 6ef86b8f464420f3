/** `vexil import`: writes manifests for the flags of another product. */

import { InputError } from '../failure.ts';
import { writeManifestFiles } from '../files/manifest-file.ts';
import { readSources } from '../manifests/source.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { importFiles } from './import-file.ts';
import { importJson, importNotes, importSummary, lossesIn } from './report.ts';

export interface ImportCommandOptions {
  readonly to: string;
  readonly namespace: string;
  readonly operatorNamespace: string;
  readonly project?: string;
  readonly env: string;
  readonly context?: readonly string[];
  readonly overwrite: boolean;
  readonly trustSwitches: boolean;
  readonly output: 'text' | 'json';
}

export async function runImport(
  files: readonly string[],
  options: ImportCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { to, context = [], env: environment, project, overwrite, output } = options;
  const { namespace, operatorNamespace, trustSwitches } = options;
  const sources = await readSources(files, terminal.standardInput);
  if (sources.length === 0) throw new InputError(`${files.join(', ')} has no file`);
  const { files: manifests, ...rest } = await importFiles({
    ...{ namespace, operatorNamespace, trustSwitches },
    sources,
    replacing: overwrite ? to : undefined,
    context: await readSources(context, terminal.standardInput),
    now: terminal.now(),
    environment,
    project,
  });
  const report = { ...rest, ...(await writeManifestFiles(to, manifests, { overwrite })) };
  terminal.writeError(importNotes(report));
  terminal.write(output === 'json' ? importJson(report) : importSummary(report, to));
  terminal.exit(lossesIn(report.unmapped).length > 0 ? EXIT.findings : EXIT.ok);
}
