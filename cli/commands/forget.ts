/** `vexil history forget`: replaces a person in the history. */
import { Command } from 'commander';
import { withOutput, withServerOptions } from '../connection/options.ts';
import type { ForgetOptions } from '../past/run-forget.ts';
import type { Terminal } from '../terminal.ts';
import { collect } from './options.ts';

const AFTER = `
First counts, and lists the objects of the cluster that still name the person, each with a command. Then asks. Change or
delete these objects first: what changes later is recorded with the name again. After Ctrl-C, the same command goes on
with the same pseudonym.

Examples:
  vexil history forget --user ada --email ada@example.com --dry-run
  vexil history forget --user ada --reason "ticket 4711"

Exit status: 0 done, 1 not confirmed.`;

export function forgetCommand(terminal: Terminal): Command {
  const command = new Command('forget')
    .summary('replace a person in the history by a pseudonym')
    .description('Replaces the names, addresses and ids of a person in the history and in Events by a pseudonym.')
    .requiredOption('--user <name>', 'the username, the e-mail address or the Kubernetes user')
    .option('--email <address>', 'a further name or address that the history may have; may be repeated', collect)
    .option('--reason <text>', 'why; for the entry about this')
    .option('--dry-run', 'only count, and list what will still name the person', false)
    .option('--yes', 'do not ask before the write', false);
  return withOutput(withServerOptions(command))
    .addHelpText('after', AFTER)
    .action(async (options: ForgetOptions) => {
      const { runForget } = await import('../past/run-forget.ts');
      await runForget(options, terminal);
    });
}
