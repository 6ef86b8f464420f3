/** `vexil history forget`: counts, asks, and forgets a person part by part. */
import type { z } from 'zod';
import { deletionKeys, stampKeys } from '../../src/schema/stamp.ts';
import { wireForgetting } from '../../src/wire/admin/event/forgetting.ts';
import { confirm } from '../confirm.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { itemsOfPages } from '../connection/pages.ts';
import { bodyAs, connectServer, type ServerConnection } from '../connection/server.ts';
import { plural } from '../plural.ts';
import { jsonText, printableLine, printableLines, type Terminal } from '../terminal.ts';

export interface ForgetOptions extends ServerOptions, OutputOptions {
  readonly user: string;
  readonly email?: readonly string[];
  readonly reason?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

type ForgetAnswer = z.infer<typeof wireForgetting>;
type Remaining = ForgetAnswer['remains']['objects'][number];

type ForgettingRun = Omit<ForgetAnswer, 'next'>;

/** What no request can change. */
const ELSEWHERE = [
  'Not replaced: names of flags, projects and environments; manifests in Git; backups and exports of the history;',
  'logs of the API server, of the database and of proxies; managed fields of objects.',
];

export async function runForget(options: ForgetOptions, terminal: Terminal): Promise<void> {
  const server = await connectServer(options, terminal);
  const say = options.output === 'json' ? terminal.writeError : terminal.write;
  const plan = await goThrough(server, { ...options, dryRun: true }, () => undefined);
  say(planText(plan));
  if (!options.dryRun) {
    const question = `Replace ${options.user} in the history for good?`;
    await confirm({ question, otherwise: 'nothing was replaced', yes: options.yes }, terminal);
  }
  const done = options.dryRun ? plan : await goThrough(server, options, progressTo(terminal));
  if (options.output === 'json') terminal.write(jsonText(done));
  else if (!options.dryRun)
    terminal.write(`${printableLine(`${done.pseudonym} stands for the person: ${countsIn(done)}`)}\n`);
}

/** A request works for about a second. Some wait for the leader or for the database, and name the same part again. */
const LIMITS = { items: 100_000, pages: 100_000, ms: 24 * 3_600_000, waits: 10_000 };

/** Sends requests until nothing is left to do. */
async function goThrough(
  server: ServerConnection,
  { user, email: emails = [], reason, dryRun }: ForgetOptions,
  report: (next: string) => void,
): Promise<ForgettingRun> {
  const query = { reason, dryRun: dryRun || undefined };
  const read = async (position: string | undefined) => {
    if (position !== undefined) report(position);
    const body = { user, emails, position };
    const answer = await server.call({ method: 'POST', path: '/history/forget', query, body });
    const part = bodyAs(wireForgetting, answer);
    return { items: [part], next: part.next ?? undefined };
  };
  const answers = itemsOfPages({ place: server.address, what: 'parts to forget', read, limits: LIMITS });
  let sums: ForgettingRun = NOTHING;
  for await (const answer of answers) sums = added(sums, answer);
  return sums;
}

const NOTHING: ForgettingRun = {
  ...{ pseudonym: null, names: [], remains: { objects: [], more: 0 } },
  ...{ entries: 0, versions: 0, events: 0 },
};

/** Only the first answer has names and what remains, and the last ones have no pseudonym. */
function added(sums: ForgettingRun, answer: ForgetAnswer): ForgettingRun {
  return {
    ...(sums === NOTHING ? answer : sums),
    entries: sums.entries + answer.entries,
    versions: sums.versions + answer.versions,
    events: sums.events + answer.events,
  };
}

function progressTo({ writeError }: Terminal): (next: string) => void {
  return (next) => writeError(`${printableLine(`goes on at ${next}`)}\n`);
}

function planText(plan: ForgettingRun): string {
  const { names, remains } = plan;
  const lines = [
    `Names: ${names.join(', ')}`,
    `Found: ${countsIn(plan)}`,
    ...(remains.objects.length > 0 ? ['The cluster still names the person. Change these objects first:'] : []),
    ...remains.objects.map((object) => `  ${commandFor(object)}`),
    ...(remains.more > 0 ? [`  and ${remains.more} more`] : []),
    ...ELSEWHERE,
  ];
  return printableLines(lines);
}

function countsIn({ entries, versions, events }: ForgettingRun): string {
  return [plural(entries, 'entry', 'entries'), plural(versions, 'version'), plural(events, 'Event')].join(', ');
}

/** Only Vexil may change a stamp where the author policy is installed. */
const AS_VEXIL = '--as=system:serviceaccount:vexil-system:vexil';
const STAMPS = [...Object.values(stampKeys), ...Object.values(deletionKeys)].filter(
  (key) => !key.endsWith('-generation'),
);

function commandFor({ resource, namespace, name, in: where }: Remaining): string {
  const object = `${resource} ${name} --namespace ${namespace}`;
  if (where === 'object') return `kubectl delete ${object}`;
  if (where === 'spec') return `kubectl edit ${object}`;
  return `kubectl annotate ${object} ${AS_VEXIL} ${STAMPS.map((key) => `${key}-`).join(' ')}`;
}
