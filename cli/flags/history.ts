/** `vexil history`: prints the events of a flag, and follows new ones. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SearchedWay } from '../../src/domain/history/way.ts';
import { truncate } from '../../src/model/text.ts';
import { wireEventSearch } from '../../src/wire/admin/event/event.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { bodyAs, connectServer, type ServerConnection } from '../connection/server.ts';
import { printableLine, type Terminal } from '../terminal.ts';
import { flagOnServer } from './flag-on-server.ts';
import { withoutMarkdown } from './without-markdown.ts';

export interface HistoryOptions extends ServerOptions, OutputOptions {
  readonly project?: string;
  readonly channel?: SearchedWay;
  readonly limit: number;
  readonly follow: boolean;
}

type FlagEvent = ReturnType<typeof wireEventSearch.parse>['events'][number];

const FOLLOW_EVERY_MS = 2000;
/** The number of events in one answer while following. */
const MAX_NEW = 1000;

/** Prints the newest events, oldest first. With `follow`, continues until the process ends. */
export async function runHistory(name: string, options: HistoryOptions, terminal: Terminal): Promise<void> {
  const server = await connectServer(options, terminal);
  const search = (limit: number) => searchEvents(server, { ...options, name, limit });
  const first = await search(options.limit);
  // A deleted flag still has events. If there are none, this call fails unless the flag exists.
  if (first.length === 0) await flagOnServer(server, name, options.project);
  const asLine = options.output === 'json' ? jsonLine : textLine;
  let last = 0;
  const show = (events: readonly FlagEvent[]) => {
    // Ids grow with each event, but events are ordered by time.
    for (const event of events.filter(({ id }) => id > last)) terminal.write(asLine(event));
    last = Math.max(last, ...events.map(({ id }) => id));
  };
  show(first);
  while (options.follow) {
    await delay(FOLLOW_EVERY_MS);
    show(await search(MAX_NEW));
  }
}

interface Search extends Pick<HistoryOptions, 'project' | 'channel' | 'limit'> {
  readonly name: string;
}

async function searchEvents(
  server: ServerConnection,
  { name, project, channel, limit }: Search,
): Promise<readonly FlagEvent[]> {
  const is = (value: string | undefined) => (value === undefined ? undefined : `IS:${value}`);
  const query = { feature: is(name), project: is(project), channel: is(channel), limit };
  const answer = await server.call({ method: 'GET', path: '/search/events', query });
  return bodyAs(wireEventSearch, answer).events.toReversed();
}

/** Returns one JSON object on one line, so that programs can read each event when it arrives. */
function jsonLine(event: FlagEvent): string {
  return `${JSON.stringify(event)}\n`;
}

const MAX_LENGTH = 500;

/** What the audit log of the API server says about the author. */
function markOf({ confirmed, auditLog }: FlagEvent): string {
  if (auditLog === undefined) return '';
  return confirmed ? ' (confirmed)' : ` (contradicted: the API server names ${auditLog.createdBy})`;
}

function textLine(event: FlagEvent): string {
  const { createdAt, createdBy, environment, type, summary } = event;
  const place = environment === null ? '' : ` [${environment}]`;
  const words = truncate(withoutMarkdown(summary), MAX_LENGTH);
  return `${printableLine(`${createdAt}  ${createdBy}${markOf(event)}${place}  ${type}: ${words}`)}\n`;
}
