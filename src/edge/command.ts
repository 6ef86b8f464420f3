/** The command `edge`, for the command line and for the program of its own. */
import { Argument, Command, Option } from 'commander';
import { edgeSettings, type Setting } from './setting-table.ts';

type Options = Readonly<Record<string, unknown>>;

export interface EdgeActions {
  /** Gets the options as they were given, and resolves when the edge listens. */
  readonly start: (options: Options) => Promise<void>;
  readonly check: (options: Options) => Promise<void>;
}

export function edgeCommand({ start, check }: EdgeActions): Command {
  const action = new Argument('[action]', '`check`: print what would be served and from where, and end');
  const command = new Command('edge')
    .summary('serve flags beside applications, without a cluster')
    .description('Serves the flags of Vexil or Unleash beside applications, with the endpoints that SDKs use.')
    .addArgument(action.choices(['check']))
    .addHelpText('after', EXAMPLES);
  for (const setting of Object.values(edgeSettings)) command.addOption(optionOf(setting));
  return command.action((chosen: string | undefined, options: Options) =>
    (chosen === 'check' ? check : start)(options),
  );
}

function optionOf({ flags, variables, description, ...setting }: Setting): Option {
  const ending = setting.default === undefined ? '' : `; default: ${setting.default}`;
  return new Option(flags, `${description} [${variables.join(', ')}${ending}]`);
}

const EXAMPLES = `
Examples:
  TOKENS='*:production.…' vexil edge --upstream-url https://flags.example.com
  vexil edge --upstream-url https://one.example.com,https://two.example.com --tokens-file tokens \\
    --backup-folder /var/lib/vexil
  vexil edge check --upstream-url https://flags.example.com --tokens-file tokens

Each option is also an environment variable. docs/edge.md describes what happens in each failure.`;
