/** `vexil lint`: checks manifests without a cluster. */
import { Command, Option } from 'commander';
import type { LintOptions } from '../report/run-lint.ts';
import type { Terminal } from '../terminal.ts';
import { collect } from './options.ts';

const EXAMPLES = `
Examples:
  vexil lint flags/
  kustomize build overlays/production | vexil lint -
  vexil lint flags/ --context platform/ --against origin/main --summary summary.md

Exit status: 0 nothing is wrong, 1 there are errors (with --strict warnings too), 64 the command line is wrong,
66 a path cannot be read.`;

export function lintCommand(terminal: Terminal): Command {
  return new Command('lint')
    .summary('check manifests without a cluster')
    .description('Checks manifests of Vexil as the API server and the operator do, without a cluster or a network.')
    .argument('<paths...>', 'files and folders with YAML or JSON; - for standard input')
    .option('--against <ref>', 'say what changes for flags since this commit, branch or tag of Git')
    .option(
      '--context <path>',
      'files and folders with objects that exist in addition to these; may be repeated',
      collect,
    )
    .option(
      '--context-fields <file>',
      'a list of context fields, as in VEXIL_CONTEXT_FIELDS: warn of constraints on other fields, and other values than the legal ones',
    )
    .addOption(
      new Option('--format <format>', 'how to report').choices(['text', 'github', 'sarif', 'json']).default('text'),
    )
    .addOption(new Option('--output <format>', 'the same as --format').choices(['text', 'json']))
    .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
    .option('--strict', 'end with 1 for warnings, too', false)
    .option('--summary <file>', 'write what changes to a file, as Markdown')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: readonly string[], options: LintOptions) => {
      const { runLint } = await import('../report/run-lint.ts');
      await runLint(paths, options, terminal);
    });
}
