/** The commands about notification sinks: sink test, sink replay. */
import { Command } from 'commander';
import { withClusterOptions, withOutput, withServerOptions } from '../connection/options.ts';
import type { ReplaySinkOptions } from '../sinks/replay-sink.ts';
import type { SinkOptions } from '../sinks/sink-object.ts';
import type { Terminal } from '../terminal.ts';

const OF_REPLAY = `
Each entry has the id that it had before, so a receiver that has seen it can drop it. With the address of Vexil, the plan
says how many entries there are.

Example:
  vexil sink replay changes -n vexil-system --from 2026-03-01T12:00:00Z`;

export function sinkCommand(terminal: Terminal): Command {
  const test = new Command('test')
    .argument('<sink>', 'the name of the NotificationSink')
    .summary('send a test event to a sink')
    .description('Lets the operator send one test event, and prints what the receiver has answered.');
  const replay = new Command('replay')
    .argument('<sink>', 'the name of the NotificationSink')
    .summary('send entries to a sink once more')
    .description('Shows what would be sent again, asks, and lets the operator send all entries since a time once more.')
    .requiredOption('--from <time>', 'the first time; with a zone')
    .option('--yes', 'do not ask', false);
  return new Command('sink')
    .summary('test a notification sink, or send entries to it once more')
    .description('Tests notification sinks, with the credentials of kubectl, which must permit patches of the sink.')
    .addCommand(
      withOutput(withClusterOptions(test)).action(async (name: string, options: SinkOptions) => {
        const { runTestSink } = await import('../sinks/test-sink.ts');
        await runTestSink(name, options, terminal);
      }),
    )
    .addCommand(
      withOutput(withServerOptions(withClusterOptions(replay)))
        .addHelpText('after', OF_REPLAY)
        .action(async (name: string, options: ReplaySinkOptions) => {
          const { runReplaySink } = await import('../sinks/replay-sink.ts');
          await runReplaySink(name, options, terminal);
        }),
    );
}
