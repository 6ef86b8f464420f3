/** `vexil sink replay`: lets the operator send entries once more. */
import { randomUUID } from 'node:crypto';
import { type NotificationSink, REPLAY_ANNOTATION } from '../../src/schema/notification-sink.ts';
import { confirm } from '../confirm.ts';
import { withCluster } from '../connection/cluster.ts';
import type { ServerOptions } from '../connection/options.ts';
import { connectServer } from '../connection/server.ts';
import { jsonText, printable, type Terminal } from '../terminal.ts';
import { pastTimeOf } from '../time.ts';
import { annotateSink, readSink, type SinkOptions, untilReported } from './sink-object.ts';

export interface ReplaySinkOptions extends SinkOptions, ServerOptions {
  readonly from: string;
  /** Does not ask at the terminal. */
  readonly yes: boolean;
}

/** Counting further takes long, and helps nobody to decide. */
const MAX_COUNTED = 10_000;

/** Shows the plan, asks, and waits until the leader has gone back. */
export async function runReplaySink(name: string, options: ReplaySinkOptions, terminal: Terminal): Promise<void> {
  const from = new Date(pastTimeOf('--from', options.from)).toISOString();
  await withCluster(options, terminal, async (cluster) => {
    const sink = await readSink(cluster, name);
    const entries = options.server === undefined ? undefined : await countEntries(sink, { from, options }, terminal);
    if (options.output === 'text') terminal.write(printable(planText(sink, from, entries)));
    const question = `Send them to "${name}" once more?`;
    await confirm({ question, otherwise: 'nothing is sent again', yes: options.yes }, terminal);
    const request = `${from} ${randomUUID().slice(0, 8)}`;
    await annotateSink(cluster, name, { [REPLAY_ANNOTATION]: request });
    await untilReported(cluster, name, ({ lastReplay }) => (lastReplay === request ? true : undefined));
    const json = { sink: name, from, ...(entries !== undefined && { entries }) };
    terminal.write(
      options.output === 'json'
        ? jsonText(json)
        : printable(`Sending. See: kubectl get sink ${name} -n ${sink.metadata.namespace}\n`),
    );
  });
}

function planText({ metadata, spec, status }: NotificationSink, from: string, entries: number | undefined): string {
  const count =
    entries === undefined
      ? 'all entries'
      : entries >= MAX_COUNTED
        ? `at least ${entries} entries`
        : `${entries} entries`;
  const last = status?.lastDelivered;
  const lines = [
    `${metadata.namespace}/${metadata.name} (${spec.type}) gets ${count} since ${from} once more, as far as its filter takes them.`,
    last ? `It has got entry ${last.id} at ${last.at}.` : 'It has got nothing yet.',
    'Receivers that do not know ids of entries show them twice.',
  ];
  return `${lines.join('\n')}\n`;
}

interface ReplayQuery {
  readonly from: string;
  readonly options: ServerOptions;
}

/** By names; the expression of the filter is not evaluated here. */
async function countEntries(
  { spec }: NotificationSink,
  { from, options }: ReplayQuery,
  terminal: Terminal,
): Promise<number> {
  const server = await connectServer(options, terminal);
  const { projects, environments, types } = spec.filter ?? {};
  const among = (values: readonly string[] | null | undefined) =>
    values && values.length > 0 ? `IS_ANY_OF:${values.join(',')}` : undefined;
  const query = {
    from: `IS:${from.slice(0, 10)}`,
    ...{ project: among(projects), environment: among(environments), type: among(types) },
  };
  let count = 0;
  for await (const line of server.lines({ method: 'GET', path: '/search/events/export', query })) {
    if (JSON.parse(line).createdAt >= from) count += 1;
    if (count >= MAX_COUNTED) break;
  }
  return count;
}
