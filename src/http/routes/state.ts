/** GET /state/export and POST /state/import: all flags in one document. */

import { setTimeout } from 'node:timers/promises';
import { toHome } from '../../access/authorization/requirements.ts';
import { readState, unreadableIn } from '../../actions/export-state.ts';
import { type ImportRequest, importState } from '../../actions/import-state.ts';
import type { ImportProgress } from '../../actions/import-state-run.ts';
import { hasPayload } from '../../domain/flag/judge/payloads.ts';
import { collectInTurns, type Turn, turnsOfRequest } from '../../runtime/turns.ts';
import { wireState } from '../../wire/admin/state/state-document.ts';
import { doubtState, type StateNote } from '../../wire/admin/state/state-doubts.ts';
import { stateDocument } from '../../wire/admin/state/state-input.ts';
import type { HasPayload } from '../../wire/admin/state/state-payloads.ts';
import { presentStatePlan, wireStatePlan } from '../../wire/admin/state/state-plan.ts';
import { type ExportQuery, importQuery, stateExportQuery } from '../../wire/admin/state/state-query.ts';
import { readStateDocument } from '../../wire/admin/state/state-reading.ts';
import { type Repair, repairedPart, repairState } from '../../wire/admin/state/state-repairs.ts';
import { stateText } from '../../wire/admin/state/state-text.ts';
import { askPast } from '../route/past-services.ts';
import { type RouteServices, route } from '../route/route.ts';
import { leftOutWarning } from '../route/warning.ts';
import { adminErrorMembers } from '../server/answer/admin-error-members.ts';
import { presentError } from '../server/answer/errors.ts';
import { textInTurns } from '../server/answer/json-pieces.ts';
import { LINES_TYPE, linesOf, StreamedBody } from '../server/answer/send-pieces.ts';
import { askedForAmong } from './flag/check-removal.ts';

const listing = (resource: string) => toHome<unknown>({ verb: 'list', resource, permission: 'ADMIN' });

export const stateRoutes = [
  route({
    method: 'get',
    path: '/state/export',
    summary:
      'Export flags, strategy types, segments, projects, tags and environments as one document, without archived flags. YAML is answered as `text/yaml`.',
    errors: [],
    requires: listing('featureflags'),
    alsoRequires: ['environments', 'strategydefinitions', 'segments'].map(listing),
    query: stateExportQuery,
    answer: 200,
    response: wireState,
    texts: ['text/yaml'],
    streams: 'whole',
    omitsUnreadable: true,
    deprecated: true,
    past: ({ query }) => askPast(query, { of: 'all' }),
    handle: (services, { query, turn }) => exportState(services, query, turn),
  }),
  route({
    method: 'post',
    path: '/state/import',
    summary:
      'Import a state document. The whole document is checked before the first write. After a failure during the writes, send the same request again to complete the import. One import runs at a time: another one waits for ten seconds and then answers 503. A dry run answers the planned changes, the conflicts and the warnings.',
    description:
      'The limits of bytes, values and time are in `docs/state.md`. With `Accept: application/x-ndjson` the answer is JSON lines. Vexil sends a line each second (`VEXIL_IMPORT_PROGRESS_INTERVAL`): `{phase, done, writes}` with the phase `checking` or `writing`. The last line is `{result}`, with the plan of a dry run, or `{error}`. A request that is refused before the first line gets the same status as without this `Accept` header. An answer with JSON lines has no header Warning. When the caller disconnects, the import stops between two writes: send the request again to complete the import. During the import of a document of the largest size, other requests to the replica wait for up to 0.2 seconds at a time. The import skips a flag that the cache shows as equal to the document, so a change that another client makes at that moment stays. If several environments of the document all have the same variants of a new flag, the import writes them as variants of the flag itself, so later environments have them too.',
    errors: ['name-taken', 'in-use', 'still-asked-for', 'pattern-mismatch', 'field-managed'],
    requires: toHome({ verb: 'create', resource: 'featureflags', permission: 'ADMIN' }),
    touches: 'all',
    query: importQuery,
    body: stateDocument,
    acceptsUpload: true,
    answer: 202,
    creates: true,
    response: wireStatePlan,
    texts: ['text/plain', LINES_TYPE],
    deprecated: true,
    async handle(services, { query, body, dryRun, prefersLines }) {
      const { environment, ...mode } = query;
      const turn = turnsOfRequest();
      let repairs: readonly Repair[] = [];
      let doubts: readonly StateNote[] = [];
      const read: ImportRequest['read'] = async (chooseEnvironment) => {
        doubts = await doubtState(body, { pause: turn });
        repairs = await repairState(body, turn);
        services.notes.noteRepaired(repairs.map(repairedPart));
        services.notes.noteDoubted(doubts.map(({ path }) => path));
        const wanted = await readStateDocument(body, {
          chooseEnvironment,
          pause: turn,
          hasPayload: storedPayloads(services),
        });
        // What serves the request keeps the body until the import has ended. It is read once.
        for (const section of Object.keys(body)) Reflect.deleteProperty(body, section);
        return wanted;
      };
      const run = async (onProgress?: ImportRequest['onProgress']) => {
        const imported = await importState(services, {
          mode,
          environment,
          dryRun,
          onProgress,
          read,
          askedForAmong: (flags) => askedForAmong(services, flags),
        });
        return dryRun || mode.prune ? presentStatePlan({ ...imported, repairs, doubts }) : undefined;
      };
      if (prefersLines) return reportProgress(services, async (onProgress) => (await run(onProgress)) ?? {});
      const plan = await run();
      if (plan) return plan;
      return new StreamedBody({ type: 'text/plain; charset=utf-8', read: accepted });
    },
  }),
];

/** A payload that kubectl has written is imported with the rest of its export. */
export function storedPayloads({ catalog }: Pick<RouteServices, 'catalog'>): HasPayload {
  return (name, payload) => {
    const flag = catalog.flag(name);
    return flag !== undefined && hasPayload(flag, payload);
  };
}

/** Unleash answers an import with the text `Accepted`. */
async function* accepted() {
  yield 'Accepted';
}

async function exportState(services: RouteServices, query: ExportQuery, turn: Turn): Promise<StreamedBody> {
  const state = await readState(services, query);
  const { format } = query;
  const warning = leftOutWarning((await collectInTurns(unreadableIn(state), turn)).flat());
  return new StreamedBody({
    type: format === 'yaml' ? 'text/yaml; charset=utf-8' : 'application/json; charset=utf-8',
    headers: {
      ...(query.download && { 'Content-Disposition': attachment(format, services.asOf ?? services.now()) }),
      ...(warning !== undefined && { Warning: warning }),
    },
    read: () => textInTurns(stateText(state, format)[Symbol.iterator](), turn),
  });
}

/** The file name that Unleash uses, with the time in UTC. */
function attachment(format: ExportQuery['format'], now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-');
  return `attachment; filename="export-${time}.${format === 'yaml' ? 'yml' : 'json'}"`;
}

type End = { readonly result: object } | { readonly error: unknown };

/** Starts the import. A refusal before the first line is answered with the status of its error. */
function reportProgress(
  { logger, timings }: Pick<RouteServices, 'logger' | 'timings'>,
  start: (onProgress: (progress: ImportProgress) => void) => Promise<object>,
): StreamedBody {
  let latest: ImportProgress = { phase: 'checking', done: 0, writes: 0 };
  const ended = start((progress) => {
    latest = progress;
  }).then(
    (result): End => ({ result }),
    (error: unknown): End => ({ error }),
  );
  /** Undefined if the import continues. */
  const next = (): Promise<End | undefined> =>
    Promise.race([ended, setTimeout(timings.importProgressMs, undefined, { ref: false })]);
  async function* lines(): AsyncIterable<object> {
    let end = await next();
    if (end && 'error' in end) throw end.error;
    for (; !end; end = await next()) yield latest;
    if ('result' in end) yield { result: end.result };
    else yield { error: bodyOf(end.error) };
  }
  function bodyOf(error: unknown): object {
    const { status, id, body } = presentError(error, adminErrorMembers);
    if (status >= 500) logger.error({ errorId: id, error }, 'state import: failed');
    return body;
  }
  return linesOf(lines, { ended });
}
