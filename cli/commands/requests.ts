/** The commands about changes that need approval: request, requests, approve, reject, comment, withdraw. */
import { Command, Option } from 'commander';
import { withClusterOptions, withOutput } from '../connection/options.ts';
import type { AskOptions } from '../requests/ask.ts';
import type { DecideOptions } from '../requests/decide.ts';
import type { ListRequestsOptions } from '../requests/list.ts';
import type { ShowRequestOptions } from '../requests/show.ts';
import type { Terminal } from '../terminal.ts';
import { collect, manifestsOption } from './options.ts';

const OF_REQUEST = `
Compares the flags, segments, projects and environments of the files with the cluster, and makes a ChangeRequest for each
whose change needs approval. Environments of flags, members of projects, and fields of projects and environments that a
file does not name are left as they are. Once it is approved, Vexil makes the change, or lets exactly this change of the
owner of the fields pass, for example of Flux or Argo CD.

Examples:
  vexil request -f flags/checkout.yaml --reason "The new checkout is ready"
  vexil request -f flags/ --apply-at 2026-12-01T08:00:00Z`;

export function requestCommand(terminal: Terminal): Command {
  const command = new Command('request')
    .summary('ask for the approval of changes')
    .description('Asks for the changes of manifests that need the approval of other people.')
    .addOption(manifestsOption())
    .option('--reason <text>', 'why, for the people who approve')
    .option('--apply-at <time>', 'when the change comes into effect; with a zone (default: once it is approved)')
    .option('--expires-at <time>', 'when the request ends; with a zone (default: after 7 days)')
    .option('--dry-run', 'ask for nothing', false);
  return withOutput(withClusterOptions(command))
    .addHelpText('after', OF_REQUEST)
    .action(async (options: AskOptions) => {
      const { runAsk } = await import('../requests/ask.ts');
      await runAsk(options, terminal);
    });
}

const EVERYWHERE = 'the namespace (default: all, or that of the context if you may not list all)';

export function requestsCommand(terminal: Terminal): Command {
  const command = new Command('requests')
    .argument('[request]', 'the name of a ChangeRequest, in the namespace of -n or of the context')
    .summary('list change requests, or show what one of them changes')
    .description(
      'Lists the change requests that have not ended, the newest first. With a name, shows what this request changes, and what users get before and after.',
    )
    .option('--all', 'also those that have ended', false)
    .option('--mine', 'only those that you have asked for', false)
    .addOption(
      new Option('--to-approve', 'only those that wait for a decision that you can make, and have not made')
        .default(false)
        .conflicts('mine'),
    )
    .addOption(
      new Option('--at <time>', 'what users get at this time; with a zone (default: when the change is made)'),
    );
  return withOutput(withClusterOptions(command, EVERYWHERE)).action(
    async (request: string | undefined, options: ListRequestsOptions & ShowRequestOptions) => {
      if (request === undefined) {
        const { runListRequests } = await import('../requests/list.ts');
        await runListRequests(options, terminal);
        return;
      }
      const { runShowRequest } = await import('../requests/show.ts');
      await runShowRequest(request, options, terminal);
    },
  );
}

export function decisionCommand(name: 'approve' | 'reject', terminal: Terminal): Command {
  const summary = name === 'approve' ? 'approve a change request' : 'reject a change request, which ends it';
  const command = new Command(name)
    .argument('<request>', 'the name of the ChangeRequest')
    .summary(summary)
    .description('Shows what the request changes, asks, and records your decision with the credentials of kubectl.')
    .option('--comment <text>', 'why')
    .option('--group <name>', 'a group through which you may approve; may be repeated (default: all yours)', collect)
    .option('--yes', 'do not ask', false);
  return withOutput(withClusterOptions(command)).action(async (request: string, options: DecideOptions) => {
    const { runDecision } = await import('../requests/decide.ts');
    await runDecision(name === 'approve' ? 'Approve' : 'Reject', { name: request, options }, terminal);
  });
}

export function commentCommand(terminal: Terminal): Command {
  const command = new Command('comment')
    .argument('<request>', 'the name of the ChangeRequest')
    .argument('<text>', 'the comment')
    .summary('comment on a change request')
    .description('Records a comment on a change request, which decides nothing. It needs no right to approve.');
  return withOutput(withClusterOptions(command)).action(
    async (request: string, text: string, options: DecideOptions) => {
      const { runComment } = await import('../requests/decide.ts');
      await runComment({ name: request, text }, options, terminal);
    },
  );
}

export function withdrawCommand(terminal: Terminal): Command {
  const command = new Command('withdraw')
    .argument('<request>', 'the name of the ChangeRequest')
    .summary('withdraw a change request')
    .description('Ends a change request, also after its approval, as long as the change is not made.');
  return withOutput(withClusterOptions(command)).action(async (request: string, options: DecideOptions) => {
    const { runWithdraw } = await import('../requests/decide.ts');
    await runWithdraw(request, options, terminal);
  });
}
