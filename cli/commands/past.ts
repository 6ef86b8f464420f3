/** The commands about past times: diff, restore. */
import { Command, Option } from 'commander';
import { withClusterOptions, withOutput, withServerOptions } from '../connection/options.ts';
import type { DiffOptions } from '../past/run-diff.ts';
import type { RestoreOptions } from '../past/run-restore.ts';
import type { Terminal } from '../terminal.ts';
import { withProtection } from './options.ts';

const OF_DIFF = `
A flag whose state is uncertain at one of the times is named with the times of the change that is in the way. Archived
flags count as gone.

Examples:
  vexil diff --from 2026-03-01T14:00:00Z --project shop
  vexil diff --from 2026-03-01T14:00:00Z --to 2026-03-01T15:00:00Z --server https://vexil.example.com

Exit status: 0 no flag differs, 2 flags differ.`;

export function diffCommand(terminal: Terminal): Command {
  const command = new Command('diff')
    .summary('show what changed between two times')
    .description('Compares the flags of two times, field by field, through the API of Vexil.')
    .requiredOption('--from <time>', 'the first time; with a zone, as 2026-03-01T14:00:00Z')
    .option('--to <time>', 'the second time (default: now)')
    .option('--project <id>', 'only this project (default: the present projects that you may read)');
  return withOutput(withServerOptions(command))
    .addHelpText('after', OF_DIFF)
    .action(async (options: DiffOptions) => {
      const { runDiff } = await import('../past/run-diff.ts');
      await runDiff(options, terminal);
    });
}

const OF_RESTORE = `
Reads the objects of that time from Vexil, plans with dry runs of the API server, asks, and writes with the credentials of
kubectl. So the permissions, the admission policies, freezes and approvals of the cluster apply to each write. A field
that a GitOps tool owns is a conflict, and its flag is not written. The history names vexil-restore as the field manager
of each change.

An object that is gone is created again, an Environment without its clone. A flag that did not exist then stays, and is
named. An object whose name belonged to another one then is rejected, unless --other-objects is given.

Without arguments, flags are restored. KIND/NAME restores another object: segment/staff, environment/production,
project/shop (the Project, not its flags) or strategydefinition/country. With --project, the flags follow.

Examples:
  vexil restore --as-of 2026-03-01T14:00:00Z --project shop --flag card-payments
  vexil restore --as-of 2026-03-01T14:00:00Z --project shop --server https://vexil.example.com
  vexil restore segment/staff environment/production --as-of 2026-03-01T14:00:00Z

Exit status: 0 everything is as it was, 1 an object is rejected or has a field of a GitOps tool.`;

export function restoreCommand(terminal: Terminal): Command {
  const command = new Command('restore')
    .summary('give flags and other objects the state of a past time')
    .description('Gives flags, segments, projects, environments and strategy types the specs that they had at a time.')
    .argument('[objects...]', 'objects that are no flags, as KIND/NAME')
    .requiredOption('--as-of <time>', 'the time; with a zone, as 2026-03-01T14:00:00Z')
    .option('--project <id>', 'only the flags of this project (default: the present projects that you may read)')
    .option('--flag <name>', 'only this flag of the project')
    .addOption(
      new Option('--in-gap <side>', 'the state before or after a change at an uncertain time').choices([
        'before',
        'after',
      ]),
    )
    .option('--other-objects', 'also restore an object whose name belongs to another one now', false)
    .option('--yes', 'do not ask before the write', false);
  return withOutput(withServerOptions(withClusterOptions(withProtection(command))))
    .addHelpText('after', OF_RESTORE)
    .action(async (objects: readonly string[], options: RestoreOptions) => {
      const { runRestore } = await import('../past/run-restore.ts');
      await runRestore(objects, options, terminal);
    });
}
