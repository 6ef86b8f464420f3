/** `vexil test`: compares flags of manifests with what cases expect, without a cluster. */
import { Command, Option } from 'commander';
import type { TestOptions } from '../cases/run-test.ts';
import type { Terminal } from '../terminal.ts';
import { manifestsOption, namespaceOption, timeOption } from './options.ts';

const EXAMPLES = `
Examples:
  vexil test cases.yaml -f flags/ -f platform/
  vexil test cases/ -f . --output junit > report.xml

A file of cases:
  cases:
  - name: staff see the new checkout
    flag: one-page-checkout
    environment: production
    context: { userId: ada@example.com }
    at: 2026-12-01T08:00:00Z
    enabled: true

at is optional: the time for which windows, ramps and dates are evaluated.

Exit status: 0 all flags are as expected, 1 a case failed, 64 the command line is wrong, 66 a path cannot be read, a case
is not valid, or the API server would reject a manifest.`;

export function testCommand(terminal: Terminal): Command {
  return new Command('test')
    .summary('compare flags of manifests with expected results')
    .description(
      'Compares what flags are for contexts with what files of cases expect, without a cluster or a network.',
    )
    .argument('<cases...>', 'files and folders with cases in YAML or JSON; - for standard input')
    .addOption(manifestsOption())
    .addOption(timeOption('the time of cases without at'))
    .addOption(namespaceOption())
    .addOption(new Option('--output <format>', 'how to report').choices(['text', 'json', 'junit']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (paths: readonly string[], options: TestOptions) => {
      const { runTest } = await import('../cases/run-test.ts');
      await runTest(paths, options, terminal);
    });
}
