/** The commands that change one flag: on, off, ramp, promote, archive. */
import { Argument, type Command } from 'commander';
import { withOutput, withServerOptions } from '../connection/options.ts';
import type { ArchiveOptions } from '../flags/archive.ts';
import type { PromoteOptions } from '../flags/promote.ts';
import type { RampAction, RampOptions } from '../flags/ramp.ts';
import type { Position, SwitchOptions } from '../flags/switch.ts';
import type { Terminal } from '../terminal.ts';
import { flagCommand } from './flags.ts';
import { wholeNumber } from './options.ts';

function withChangeOptions(command: Command, fields: string): Command {
  const changed = command
    .option('--force', `change ${fields} even if a GitOps tool owns it, and may revert it`, false)
    .option('--hand-over', `first make Vexil an owner of ${fields}, together with the GitOps tool`, false)
    .option('--patch', 'print the change for Git, and change nothing', false)
    .option('--reason <text>', 'why, for the history, the Events and the change for Git');
  return withOutput(withServerOptions(changed));
}

const OF_SWITCH = `
A switch that a GitOps tool owns is not changed: the command ends with 1, and names the ways to resolve it.
--hand-over makes Vexil another owner of the field. The switch stays refused until the tool has dropped the field.

Exit status: 0 the switch is as asked, 1 the server refuses the change.`;

export function switchCommand(position: Position, terminal: Terminal): Command {
  const command = flagCommand(position, `switch a flag ${position} in an environment`)
    .description(`Switches a flag ${position} in an environment, through the API of Vexil.`)
    .requiredOption('--env <name>', 'the environment');
  return withChangeOptions(command, 'the switch')
    .addHelpText('after', OF_SWITCH)
    .action(async (name: string, options: Omit<SwitchOptions, 'position'>) => {
      const { runSwitch } = await import('../flags/switch.ts');
      await runSwitch(name, { ...options, position }, terminal);
    });
}

/** The texts of `--help`; the type requires one for each action of the API. */
const ACTIONS: Readonly<Record<RampAction, string>> = {
  start: 'the first step begins now; only of a ramp that waits or is scheduled',
  pause: 'the ramp stays at its step',
  resume: 'the steps that are left move by the time of the pause',
  skip: 'goes to the beginning of the step of --step; a paused ramp stays paused there',
  abort: 'disables the strategy and pauses the ramp',
};

const OF_RAMP = `
Actions:
${Object.entries(ACTIONS)
  .map(([action, does]) => `  ${action.padEnd(8)} ${does}`)
  .join('\n')}

A field that a GitOps tool owns is not changed: the command ends with 1, and names the ways to resolve it. --hand-over
makes Vexil an owner of the fields that are refused. They stay refused until the tool has dropped them.

Examples:
  vexil ramp start faster-search --env production
  vexil ramp skip faster-search --env production --strategy gradual --step 3

Exit status: 0 the ramp is as asked, 1 the server refuses the change.`;

export function rampCommand(terminal: Terminal): Command {
  const what = new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS));
  const command = flagCommand('ramp', 'start, pause, resume, skip or abort the ramp of a strategy', what)
    .description('Starts, pauses, resumes, skips or aborts the ramp of a strategy, through the API of Vexil.')
    .requiredOption('--env <name>', 'the environment')
    .option('--strategy <key>', 'the key, the id or the title of the strategy (default: the only one with a ramp)')
    // Only the ramp knows how many steps it has.
    .option('--step <number>', 'of skip: the step to go to, from 1', wholeNumber(Number.POSITIVE_INFINITY));
  return withChangeOptions(command, 'a field')
    .addHelpText('after', OF_RAMP)
    .action(async (action: RampAction, name: string, options: Omit<RampOptions, 'action'>) => {
      const { runRamp } = await import('../flags/ramp.ts');
      await runRamp(name, { ...options, action }, terminal);
    });
}

const OF_PROMOTE = `
Replaces the strategies, the variants and the window of the second environment. The switch there stays as it is, and
ramps wait for their start. --patch prints the change for Git. To take it back, use the history of the flag.

Examples:
  vexil promote one-page-checkout --from staging --to production
  vexil promote one-page-checkout --from staging --to production --patch

Exit status: 0 the environments have the same configuration, 1 the server refuses the change.`;

export function promoteCommand(terminal: Terminal): Command {
  const command = flagCommand('promote', 'copy the configuration of a flag to another environment')
    .description('Copies the configuration of a flag from one environment to another, through the API of Vexil.')
    .requiredOption('--from <name>', 'the environment to copy')
    .requiredOption('--to <name>', 'the environment that changes');
  return withChangeOptions(command, 'a field')
    .addHelpText('after', OF_PROMOTE)
    .action(async (name: string, options: PromoteOptions) => {
      const { runPromote } = await import('../flags/promote.ts');
      await runPromote(name, options, terminal);
    });
}

const OF_ARCHIVE = `
Says which applications asked for the flag in the last 24 hours, and asks before it goes on. Without a terminal it needs
--yes. --force also archives a flag in use of a project that refuses that (usedFlags: Refuse).

Examples:
  vexil archive old-checkout
  vexil archive old-checkout --yes --output json

Exit status: 0 the flag is archived, 1 the server refuses the change or the answer is no, 64 --yes is missing.`;

export function archiveCommand(terminal: Terminal): Command {
  const command = flagCommand('archive', 'archive a flag, after it has said who uses it')
    .description('Archives a flag, which is off everywhere then, through the API of Vexil.')
    .option('--yes', 'do not ask', false);
  return withChangeOptions(command, 'the field')
    .addHelpText('after', OF_ARCHIVE)
    .action(async (name: string, options: ArchiveOptions) => {
      const { runArchive } = await import('../flags/archive.ts');
      await runArchive(name, options, terminal);
    });
}
