/** `vexil evaluate`: evaluates flags of manifests without a cluster. */
import { Command, Option } from 'commander';
import type { EvaluateOptions } from '../evaluate/run-evaluate.ts';
import type { Terminal } from '../terminal.ts';
import { collect, collectContext, manifestsOption, namespaceOption, timeOption } from './options.ts';

const EXAMPLES = `
Examples:
  vexil evaluate -f flags/ -f platform/ --context userId=7,country=SE
  vexil evaluate -f . --flag one-page-checkout --env production --context userId=7 --output json
  vexil evaluate -f . --flag winter-sale --at 2026-12-01T08:00:00+01:00

Exit status: 0 all flags were evaluated, 64 the command line is wrong, 66 a path cannot be read, the API server would
reject a manifest, or there is no such flag or environment.`;

export function evaluateCommand(terminal: Terminal): Command {
  return new Command('evaluate')
    .summary('evaluate flags of manifests without a cluster')
    .description(
      'Says what flags are for a context, and why, without a cluster or a network. The files need the projects, environments and segments of the flags too.',
    )
    .addOption(manifestsOption())
    .option('--context <name=value,...>', 'the context; \\, is a comma in a value; may be repeated', collectContext)
    .option('--env <name>', 'an environment; may be repeated (default: those of the project)', collect)
    .option('--flag <name>', 'a flag; may be repeated (default: all)', collect)
    .addOption(timeOption('evaluate for this time: windows, ramps and dates are as they are then'))
    .addOption(namespaceOption())
    .addOption(new Option('--output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: EvaluateOptions) => {
      const { runEvaluate } = await import('../evaluate/run-evaluate.ts');
      await runEvaluate(options, terminal);
    });
}
