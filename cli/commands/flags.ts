/** The commands that show one flag: explain, owners, history. */
import { type Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ChainPlace } from '../../src/domain/history/chain.ts';
import { searchedWays } from '../../src/domain/history/way.ts';
import { withClusterOptions, withOutput, withServerOptions } from '../connection/options.ts';
import type { ExplainOptions } from '../flags/explain.ts';
import type { HistoryOptions } from '../flags/history.ts';
import type { OwnersOptions } from '../flags/owners.ts';
import type { Terminal } from '../terminal.ts';
import type { VerifyOptions } from '../verify/run-verify.ts';
import { forgetCommand } from './forget.ts';
import { collect, collectContext, timeOption, wholeNumber, withProtection } from './options.ts';

const NAMESPACE = 'the namespace of the flag (default: all, or that of the context if you may not list all)';

/** `before` are the arguments before the name of the flag. */
export function flagCommand(name: string, summary: string, ...before: readonly Argument[]): Command {
  const command = new Command(name).summary(summary).option('--project <id>', 'the project of the flag');
  for (const argument of before) command.addArgument(argument);
  return command.argument('<name>', 'the name of the flag, as applications ask for it');
}

const OF_EXPLAIN = `
Reads the flag with the credentials of kubectl. With --server it also asks Vexil to evaluate the flag for a context, and
shows the fields that decided, with the last change of each.

Examples:
  vexil explain one-page-checkout
  vexil explain one-page-checkout --env production --context userId=7,country=de --server https://vexil.example.com
  vexil explain winter-sale --at 2026-12-01T08:00:00+01:00
  vexil explain one-page-checkout --as-of 2026-03-01T14:03:00Z --user 42 --env production

--as-of asks Vexil alone, which has every version since it keeps them. Around a change at an uncertain time it shows the
flag before and after the change. A flag that is gone needs --project.`;

export function explainCommand(terminal: Terminal): Command {
  const command = flagCommand('explain', 'say what a flag asks for, what is in effect, and why')
    .description(
      'Says what a flag asks for in each environment, what is in effect, why, and where the flag comes from.',
    )
    .option('--env <name>', 'only this environment')
    .option(
      '--context <fields>',
      'evaluate for this context, such as userId=7,country=de; may be repeated',
      collectContext,
    )
    .option('--user <id>', 'evaluate for this user; the same as --context userId=ID')
    .addOption(timeOption('explain for this time, by the present spec: windows, ramps and dates are as they are then'))
    .addOption(
      new Option('--as-of <time>', 'explain the flag as it was at this time, through the API of Vexil').conflicts('at'),
    );
  return withOutput(withServerOptions(withClusterOptions(withProtection(command), NAMESPACE)))
    .addHelpText('after', OF_EXPLAIN)
    .action(async (name: string, { user, asOf, ...given }: ExplainOptions & { user?: string; asOf?: string }) => {
      const context = user === undefined ? given.context : { ...given.context, userId: user };
      const options = { ...given, ...(context && { context }) };
      const { runExplain } = await import('../flags/explain.ts');
      const { explainAsOf } = await import('../past/explain-as-of.ts');
      if (asOf === undefined) await runExplain(name, options, terminal);
      else await explainAsOf(name, { ...options, asOf }, terminal);
    });
}

const OF_OWNERS = `
PROTECTED: the admin API does not change the field unless forced. --protected-managers names the protected managers.
Without it Vexil says which they are (--server), or else the default of the operator counts.

Examples:
  vexil owners gift-wrapping
  vexil owners gift-wrapping --protected-managers 'argocd-controller,our-*'`;

export function ownersCommand(terminal: Terminal): Command {
  const command = flagCommand('owners', 'list the fields of a flag with their field managers').description(
    'Lists each field of a flag with the field managers that own it, with the credentials of kubectl.',
  );
  return withOutput(withServerOptions(withClusterOptions(withProtection(command), NAMESPACE)))
    .addHelpText('after', OF_OWNERS)
    .action(async (name: string, options: OwnersOptions) => {
      const { runOwners } = await import('../flags/owners.ts');
      await runOwners(name, options, terminal);
    });
}

const MAX_EVENTS = 1000;

export function historyCommand(terminal: Terminal): Command {
  const command = flagCommand('history', 'list what happened to a flag, the oldest first')
    .description('Lists the newest events of a flag, the oldest first, through the API of Vexil.')
    .addOption(new Option('--channel <way>', 'only changes that came this way').choices(searchedWays))
    .option('--follow', 'go on with new events, until Ctrl-C', false)
    .option('--limit <number>', `how many, from 1 to ${MAX_EVENTS}`, wholeNumber(MAX_EVENTS), 50);
  // Options after the name of a command within this one are of that command.
  command.enablePositionalOptions();
  return withOutput(withServerOptions(command))
    .action(async (name: string, options: HistoryOptions) => {
      const { runHistory } = await import('../flags/history.ts');
      await runHistory(name, options, terminal);
    })
    .addCommand(forgetCommand(terminal))
    .addCommand(verifyCommand(terminal));
}

const OF_VERIFY = `
Reads the whole chain from Vexil, with all rows that it commits. Needs the permission ADMIN. A head that you have noted
shows whether the end was cut off, or the chain was computed anew.

--public-key verifies the signed heads too. After the key was replaced, name the public key of each.

Examples:
  vexil history verify --server https://vexil.example.com --public-key history.pub
  vexil history verify --head 120771:5f3c9b...
  vexil history verify --segments ./exported --public-key history.pub

Exit status: 0 everything is as it was recorded, 1 a row or a link is not.`;

function verifyCommand(terminal: Terminal): Command {
  const command = new Command('verify')
    .summary('verify that the history is complete and unaltered')
    .description('Verifies the hash chain over the history, and names what was altered, deleted or inserted.')
    .option('--head <n:link>', 'an end of the chain that you have noted; may be repeated', collectHeads)
    .option('--segments <folder>', 'verify exported segments in this folder, without Vexil')
    .option('--public-key <file>', 'a public key of signed heads, in PEM; may be repeated', collect);
  return withOutput(withServerOptions(command))
    .addHelpText('after', OF_VERIFY)
    .action(async (_: unknown, own: Command) => {
      const { runVerify } = await import('../verify/run-verify.ts');
      await runVerify(own.optsWithGlobals<VerifyOptions>(), terminal);
    });
}

function collectHeads(text: string, heads: readonly ChainPlace[] = []): readonly ChainPlace[] {
  const [, n, link] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (n !== undefined && link !== undefined) return [...heads, { n: Number(n), link }];
  throw new InvalidArgumentError('It must be the number of a link, a colon, and its 64 hexadecimal digits.');
}
