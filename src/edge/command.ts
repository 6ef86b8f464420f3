/** The command `edge`, for the command line and for the program of its own. */
import { Command, Option } from 'commander';
import { type EdgeSettings, edgeSettings, readEdgeSettings } from './settings.ts';

export interface EdgeCommandParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs the edge until it is asked to stop. */
  readonly run: (settings: EdgeSettings) => Promise<void>;
}

export function edgeCommand({ environment, run }: EdgeCommandParts): Command {
  const command = new Command('edge')
    .description('Serve flags beside applications, without a cluster.')
    .addHelpText('after', HELP);
  for (const { flags, variables, description, ...setting } of Object.values(edgeSettings)) {
    const ending = 'default' in setting ? ` (default: ${setting.default})` : '';
    command.addOption(new Option(flags, `${description}; ${variables.join(', ')}${ending}`));
  }
  return command.action((options: Record<string, unknown>) => run(readEdgeSettings(options, environment)));
}

const HELP = `
Examples:
  TOKENS='*:production.…' vexil edge --upstream-url https://flags.example.org
  vexil edge --upstream-url https://one.example.org,https://two.example.org --tokens-file tokens --backup-folder /var/lib/vexil
`;
