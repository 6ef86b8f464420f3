/** The command `edge`, for the command line and for the program of its own. */
import { Argument, Command, Option } from 'commander';
import type { Probe } from './probe.ts';
import { edgeSettings, longOptions, type Setting } from './setting-table.ts';
import { needlessOptions, optionNamed, refusedOptions } from './unleash-edge-options.ts';

type Options = Readonly<Record<string, unknown>>;

export interface EdgeActions {
  /** Gets the options as they were given, and resolves when the edge listens. */
  readonly start: (options: Options) => Promise<void>;
  readonly check: (options: Options) => Promise<void>;
  readonly probe: (options: Options, probe: Probe) => Promise<void>;
}

export function edgeCommand({ start, check, probe }: EdgeActions): Command {
  const about =
    '`check`: print what would be served and from where, and end; `health`, `ready`: ask a running edge, and end';
  const command = new Command('edge')
    .summary('serve flags beside applications, without a cluster')
    .description('Serves the flags of Vexil or Unleash beside applications, with the endpoints that SDKs use.')
    .addArgument(new Argument('[action]', about).choices(['check', 'health', 'ready']))
    .addHelpText('after', EXAMPLES);
  const settings = Object.values<Setting>(edgeSettings);
  for (const option of [...settings.map(optionOf), ...settings.flatMap(aliasesOf), ...foreignOptions()])
    command.addOption(option);
  return command.action((chosen: 'check' | Probe | undefined, options: Options) => {
    if (chosen === undefined) return start(options);
    return chosen === 'check' ? check(options) : probe(options, chosen);
  });
}

function optionOf({ flags, variables, description, ...setting }: Setting): Option {
  const ending = setting.default === undefined ? '' : `; default: ${setting.default}`;
  return repeatable(new Option(flags, `${description} [${variables.join(', ')}${ending}]`));
}

/** The options of Unleash Edge with other names. */
function aliasesOf(setting: Setting): readonly Option[] {
  const [, ...others] = longOptions(setting);
  return others.map((long) => repeatable(new Option(`${long} <value>`).hideHelp()));
}

/** Those that are no settings of this program: what to use instead is said when the settings are read. */
function foreignOptions(): readonly Option[] {
  const names = [...Object.keys(refusedOptions), ...Object.keys(needlessOptions), 'EDGE_URL', 'CA_CERTIFICATE_FILE'];
  return names.map((name) => {
    const long = optionNamed(name);
    const short = SHORT[long];
    return new Option(`${short === undefined ? '' : `${short}, `}${long} [value]`).hideHelp();
  });
}

const SHORT: Readonly<Record<string, string>> = {
  '--skip-ssl-verification': '-s',
  '--workers': '-w',
  '--app-name': '-a',
  '--log-format': '-l',
  '--reload-interval': '-r',
  '--edge-url': '-e',
};

/** An option that is given several times is a list. */
function repeatable(option: Option): Option {
  if (option.isBoolean()) return option;
  return option.argParser((value: string, before: string | undefined) =>
    before === undefined ? value : `${before},${value}`,
  );
}

const EXAMPLES = `
Examples:
  TOKENS='*:production.…' vexil edge --upstream-url https://flags.example.com
  vexil edge --upstream-url https://one.example.com,https://two.example.com --tokens-file tokens \\
    --backup-folder /var/lib/vexil
  vexil edge check --upstream-url https://flags.example.com --tokens-file tokens

Each option is also an environment variable. docs/edge.md describes what happens in each failure.`;
