/** `vexil import`: writes manifests for the flags of another product. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from '../failure.ts';
import type { ImportCommandOptions } from '../import/run-import.ts';
import type { FromServerOptions } from '../import/server/run-from-server.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { collect } from './options.ts';

const EXAMPLES = `
Examples:
  UNLEASH_TOKEN=… vexil import --from-url https://unleash.example.com --to flags/ --secrets tokens.yaml
  vexil import --from-url https://unleash.example.com --from-token-file token --apply
  vexil import development.json production.json --to flags/
  vexil import flags.flagd.json --to flags/ --namespace shop --project shop --env production

--from-url reads Unleash 4.19 and later, and changes nothing there. An interrupted reading goes on within an hour.

Formats: state exports of Unleash (versions 1 to 4), exports of one environment of Unleash 5 and newer, also
as the body of an import ({project, environment, data}), FeatureFlag of the OpenFeature Operator, and files of
ConfigCat, flagd, Flagsmith, Flipt, GO Feature Flag and LaunchDarkly. What Vexil cannot have in the same way is left out
and named. Users change their bucket of percentages of other products than Unleash, which is named for each flag.

Exit status: 0 everything was written, 1 something is left out, 64 the command line is wrong, 66 a file cannot be read,
or would be overwritten, 69 the server cannot be reached, 77 it does not accept the token.`;

type Options = Partial<ImportCommandOptions & FromServerOptions> & Omit<ImportCommandOptions, 'to'>;

export function importCommand(terminal: Terminal): Command {
  return withTarget(new Command('import'))
    .summary('write manifests for the flags of Unleash, flagd or another product')
    .description('Writes one file for each object, which vexil lint accepts, from files or from a running Unleash.')
    .argument('[files...]', 'exports, as JSON or YAML, joined by environment; - for standard input')
    .option('--from-url <url>', 'the address of a running Unleash, in place of files')
    .option('--from-token-file <file>', 'the file with an admin token of that Unleash (or the token in UNLEASH_TOKEN)')
    .option('--secrets <file>', 'write the values of API tokens to this file, outside of the folder for Git')
    .option('--apply', 'write to the cluster, after a plan', false)
    .option('--yes', 'do not ask before the write', false)
    .option('--kubeconfig <file>', 'the kubeconfig for --apply (default: the files of KUBECONFIG, or ~/.kube/config)')
    .option('--kube-context <name>', 'the context of the kubeconfig (default: the current one)')
    .option('--project <id>', 'the project of all flags of files (default: as in the file)')
    .option('--env <name>', 'the environment of flags for which the file names none', 'default')
    .option('--trust-switches', 'believe an export in which every flag is on', false)
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: Options) =>
      options.fromUrl === undefined ? fromFiles(files, options, terminal) : fromServer(files, options, terminal),
    );
}

async function fromServer(files: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  if (files.length > 0) throw new Failure('give files or --from-url, not both', EXIT.usage);
  const { runFromServer } = await import('../import/server/run-from-server.ts');
  await runFromServer(options as FromServerOptions, terminal);
}

async function fromFiles(files: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  const { to, apply } = options;
  if (files.length === 0) throw new Failure('name the file of an export, or give --from-url', EXIT.usage);
  if (to === undefined) throw new Failure('name the folder with --to', EXIT.usage);
  if (apply) throw new Failure('--apply needs --from-url: use kubectl apply for files', EXIT.usage);
  const { runImport } = await import('../import/run-import.ts');
  await runImport(files, { ...options, to }, terminal);
}

function withTarget(command: Command): Command {
  const inNamespace = 'the namespace of projects, flags and their segments';
  return command
    .option(
      '--to <folder>',
      'where the files go: NAMESPACE/KIND/NAME.yaml below it; with --from-url PROJECT/KIND/NAME.yaml',
    )
    .option('-n, --namespace <name>', inNamespace, asNamespace, 'vexil-system')
    .option('--operator-namespace <name>', 'the namespace of all other objects', asNamespace, 'vexil-system')
    .option('--context <path>', 'files and folders with objects that exist already; may be repeated', collect)
    .option('--overwrite', 'replace files that have another content; environments that are not read stay', false)
    .addOption(new Option('--output <format>', 'how to report').choices(['text', 'json']).default('text'));
}

function asNamespace(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('It is not a name of a namespace.');
  return text;
}
