/** `vexil compare`: whether two servers give the same flags to the same users. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CompareOptions } from '../compare/run-compare.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
A file of tokens has one a line: client tokens, and frontend tokens to compare the frontend APIs, too. A token that does
not name its environment stands after it: production TOKEN. Contexts are made from the rules of the flags, so that each
strategy and each variant is reached. Flags that chance decides are compared up to chance.

Examples:
  vexil compare https://unleash.example.com https://vexil.example.com --tokens tokens
  vexil compare http://localhost:4242 http://localhost:3063 --tokens tokens --contexts users.json --output json

Exit status: 0 no flag differs, 1 a flag differs, 66 a file cannot be read, 69 a server cannot be reached, 77 a server does
not accept a token.`;

export function compareCommand(terminal: Terminal): Command {
  return new Command('compare')
    .summary('compare what two servers give to the same users')
    .description('Asks two servers (Unleash, Vexil, or an edge) as applications do, and names the flags that differ.')
    .argument('<a>', 'the address of the first server')
    .argument('<b>', 'the address of the second server')
    .requiredOption('--tokens <file>', 'the tokens of applications, for both servers or for the first one')
    .option('--tokens-b <file>', 'the tokens for the second server')
    .option('--contexts <file>', 'contexts as JSON, a list or one a line (default: made from the rules of the flags)')
    .option('--count <number>', 'how many contexts are made', asCount, 1000)
    .option('--seed <number>', 'another seed makes other contexts', asCount, 1)
    .addOption(new Option('--output <format>', 'how to report').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (a: string, b: string, options: CompareOptions) => {
      const { runCompare } = await import('../compare/run-compare.ts');
      await runCompare([a, b], options, terminal);
    });
}

const MAX_COUNT = 100_000;

function asCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_COUNT)
    throw new InvalidArgumentError(`It is not a whole number from 1 to ${MAX_COUNT}.`);
  return count;
}
