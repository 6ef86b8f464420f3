/** `vexil export`: writes the flags of a cluster to files. */
import { Command, Option } from 'commander';
import { withClusterOptions, withOutput, withServerOptions } from '../connection/options.ts';
import type { ExportOptions } from '../export/run-export.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
Reads the cluster with the credentials of kubectl; with --owned-by it asks Vexil, which knows the owners of fields, for
the flags that you may read and that are not archived.

Files of flags are replaced where their content differs. A second export changes nothing. Comments, labels and
annotations are not exported.

Examples:
  vexil export --to flags/ --prune
  vexil export --to overrides/ --owned-by people --server https://vexil.example.com`;

export function exportCommand(terminal: Terminal): Command {
  const command = new Command('export')
    .summary('write the flags of a cluster to files')
    .description('Writes one file for each flag, the same bytes for the same flag: NAMESPACE/featureflags/NAME.yaml.')
    .requiredOption('--to <folder>', 'where the files go')
    .addOption(
      new Option('--owned-by <who>', 'only the fields that a GitOps tool owns, or all others').choices([
        'git',
        'people',
      ]),
    )
    .option('--prune', 'delete the files of flags that are not there any more', false);
  return withOutput(withServerOptions(withClusterOptions(command, 'the namespace (default: all that you may list)')))
    .addHelpText('after', EXAMPLES)
    .action(async (options: ExportOptions) => {
      const { runExport } = await import('../export/run-export.ts');
      await runExport(options, terminal);
    });
}
