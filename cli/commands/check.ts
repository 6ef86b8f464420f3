/** `vexil check`: whether an installation is complete and works. */
import { Command } from 'commander';
import type { CheckOptions } from '../check/run-check.ts';
import { withClusterOptions, withOutput } from '../connection/options.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
Checks the versions of Kubernetes and of the operator, CRDs, permissions of the operator, admission policies, webhooks of
others, Secrets, storage, pods, the clock of the leader, and objects that are not Ready. Each problem has the command that
mends it. Nothing is written, and no value of a Secret is read. The namespace is that of the operator, which is searched
in the cluster if none is given. What your user may not read is reported as unknown.

Examples:
  vexil check
  vexil check -n vexil-system --output json

Exit status: 0 nothing is wrong (warnings may remain), 1 there is an error, 77 no error, but something could not be read.`;

export function checkCommand(terminal: Terminal): Command {
  const command = new Command('check')
    .summary('check an installation, and say what mends it')
    .description('Checks the operator in a cluster, and everything that it needs.');
  return withOutput(withClusterOptions(command, 'the namespace of the operator (default: it is searched)'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: CheckOptions) => {
      const { runCheck } = await import('../check/run-check.ts');
      await runCheck(options, terminal);
    });
}
