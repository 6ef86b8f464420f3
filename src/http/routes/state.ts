/** GET /state/export and POST /state/import: all flags in one document. */

import { setImmediate } from 'node:timers/promises';
import { toHome } from '../../access/requirements.ts';
import { type ImportRequest, importState } from '../../actions/import-state.ts';
import { wireState } from '../../wire/admin/state-document.ts';
import { stateDocument } from '../../wire/admin/state-input.ts';
import { presentStatePlan, wireStatePlan } from '../../wire/admin/state-plan.ts';
import { importQuery, stateExportQuery } from '../../wire/admin/state-query.ts';
import { readStateDocument } from '../../wire/admin/state-reading.ts';
import { route } from '../route/route.ts';
import { StreamedBody } from '../server/send-pieces.ts';
import { exportState } from './state-export.ts';

const listing = (resource: string) => toHome<unknown>({ verb: 'list', resource, permission: 'ADMIN' });

export const stateRoutes = [
  route({
    method: 'get',
    path: '/state/export',
    summary:
      'Export flags, strategy types, segments, projects, tags and environments as one document, without archived flags. YAML is answered as `text/yaml`.',
    errors: [],
    requires: listing('featureflags'),
    requiresFromBody: (known) =>
      ['environments', 'strategydefinitions', 'segments'].map((resource) => listing(resource).of(known, undefined)),
    query: stateExportQuery,
    answer: 200,
    response: wireState,
    texts: ['text/yaml'],
    streams: 'whole',
    omitsUnreadable: true,
    deprecated: true,
    handle: (services, { query }) => exportState(services, query),
  }),
  route({
    method: 'post',
    path: '/state/import',
    summary:
      'Import a state document. The whole document is checked before the first write. After a failure during the writes, send the same request again to complete the import. One import runs at a time: another one waits for ten seconds and then answers 503. A dry run answers the planned changes and the conflicts.',
    description:
      'The limits of bytes, values and time are in `docs/state.md`. The import goes on when the caller disconnects: the log and the history show how it ended. While a document of the largest size is imported, other requests to the replica wait for up to 0.2 seconds at a time. A flag that the cache shows as equal to the document is skipped, so a change that another client makes at that moment stays. Into a new flag, variants that all environments of the document share are written as those of the flag, so environments that come later have them too.',
    errors: ['name-taken', 'in-use', 'pattern-mismatch', 'field-managed'],
    requires: toHome({ verb: 'create', resource: 'featureflags', permission: 'ADMIN' }),
    query: importQuery,
    body: stateDocument,
    acceptsUpload: true,
    answer: 202,
    creates: true,
    response: wireStatePlan,
    texts: ['text/plain'],
    deprecated: true,
    async handle(services, { query, body, dryRun }) {
      const { environment, ...mode } = query;
      const read: ImportRequest['read'] = (chooseEnvironment) =>
        readStateDocument(body, { chooseEnvironment, pause: () => setImmediate() });
      const { plan, conflicts } = await importState(services, { mode, environment, dryRun, read });
      if (dryRun) return presentStatePlan(plan, conflicts);
      return new StreamedBody({ type: 'text/plain; charset=utf-8', read: accepted });
    },
  }),
];

/** Unleash answers an import with the text `Accepted`. */
async function* accepted() {
  yield 'Accepted';
}
