/** `vexil import`: writes manifests for the flags of another product. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ImportCommandOptions } from '../import/run-import.ts';
import type { Terminal } from '../terminal.ts';
import { collect } from './collect.ts';

const EXAMPLES = `
Examples:
  vexil import unleash-export.json --to flags/
  vexil import flags.flagd.json --to flags/ --namespace shop --project shop --env production

Formats: state exports of Unleash (versions 1 to 4), exports of one environment of Unleash 5 and newer, also
as the body of an import ({project, environment, data}), FeatureFlag of the OpenFeature Operator, and files of flagd. No
flag is on for more users than before: what Vexil cannot have in the same way is left out and named.

Exit status: 0 everything was written, 1 something is left out, 64 the command line is wrong, 66 a file cannot be read,
or would be overwritten.`;

export function importCommand(terminal: Terminal): Command {
  return new Command('import')
    .summary('write manifests for the flags of Unleash, the OpenFeature Operator or flagd')
    .description('Writes one file for each object, which vexil lint accepts. It needs no cluster and no network.')
    .argument('<file>', 'the export, as JSON or YAML; - for standard input')
    .requiredOption('--to <folder>', 'where the files go: NAMESPACE/KIND/NAME.yaml below it')
    .option(
      '-n, --namespace <name>',
      'the namespace of projects, flags and their segments',
      asNamespace,
      'vexil-system',
    )
    .option('--operator-namespace <name>', 'the namespace of all other objects', asNamespace, 'vexil-system')
    .option('--project <id>', 'the project of all flags (default: as in the file)')
    .option('--env <name>', 'the environment of flags for which the file names none', 'default')
    .option('--context <path>', 'files and folders with objects that exist already; may be repeated', collect)
    .option('--overwrite', 'replace files that have another content', false)
    .addOption(new Option('--output <format>', 'how to report').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: ImportCommandOptions) => {
      const { runImport } = await import('../import/run-import.ts');
      await runImport(file, options, terminal);
    });
}

function asNamespace(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('It is not a name of a namespace.');
  return text;
}
