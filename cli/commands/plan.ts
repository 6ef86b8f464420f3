/** `vexil plan`: shows what applying manifests would change in a cluster. */
import { Command, Option } from 'commander';
import { withClusterOptions } from '../connection/options.ts';
import type { RunPlanOptions } from '../plan/run-plan.ts';
import type { Terminal } from '../terminal.ts';
import { manifestsOption } from './options.ts';

const EXAMPLES = `
Nothing is written: the API server judges each object by a dry run of a server-side apply, which needs the same
permissions as the apply. A field that the files no longer have goes (-) if no other manager owns it. A freeze in force
that refuses a change is named, with its end and its reason. So are the applications that ask for a flag that is deleted
or archived, and the environments where a flag is off because its evaluation takes too long. A document that cannot be
read is rejected; the rest is planned, without deletions, as the document may have any object.

Examples:
  vexil plan -f flags/ --field-manager kustomize-controller --force-conflicts --prune
  kustomize build overlays/production | vexil plan -f -
  vexil plan -f flags/ --format github --summary summary.md

Flux and Argo CD apply with force: --force-conflicts shows what they take from people.

Exit status: 0 there is nothing to change, 2 there are changes, 1 an object is rejected or a field has another owner.`;

export function planCommand(terminal: Terminal): Command {
  const command = new Command('plan')
    .summary('show what applying manifests would change in a cluster')
    .description(
      'Compares manifests with a cluster: what an apply creates, changes, takes over from other owners, removes.',
    )
    .addOption(manifestsOption())
    .option('--field-manager <name>', 'the field manager that would apply them', 'kubectl')
    .option('--force-conflicts', 'plan an apply that takes fields from other managers', false)
    .option('--prune', 'plan the deletion of objects that the field manager applied before', false);
  return withClusterOptions(command)
    .addOption(new Option('--format <format>', 'how to report').choices(['text', 'github', 'json']).default('text'))
    .addOption(new Option('--output <format>', 'the same as --format').choices(['text', 'json']))
    .option('--summary <file>', 'write the plan to a file, as Markdown')
    .addHelpText('after', EXAMPLES)
    .action(async (options: RunPlanOptions) => {
      const { runPlan } = await import('../plan/run-plan.ts');
      await runPlan(options, terminal);
    });
}
