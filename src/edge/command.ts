/** The command `edge`, for the command line and for the program of its own. */
import { Command, Option } from 'commander';
import { edgeSettings, type Setting } from './setting-table.ts';

/** `start` gets the options as they were given, and resolves when the edge listens. */
export function edgeCommand(start: (options: Readonly<Record<string, unknown>>) => Promise<void>): Command {
  const command = new Command('edge')
    .summary('serve flags beside applications, without a cluster')
    .description('Serves the flags of Vexil or Unleash beside applications, with the endpoints that SDKs use.')
    .addHelpText('after', EXAMPLES);
  for (const setting of Object.values(edgeSettings)) command.addOption(optionOf(setting));
  return command.action(start);
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

Each option is also an environment variable. docs/edge.md describes what happens in each failure.`;
