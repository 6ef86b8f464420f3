/** Endpoints 23 and 24: all flags in one document, out and in. */
import { exportState } from '../export-state.ts';
import { toHome } from '../identity/asks.ts';
import { importState } from '../import-state.ts';
import { route } from '../route.ts';
import { wireState } from '../wire/state-document.ts';
import { stateDocument } from '../wire/state-input.ts';
import { wireStatePlan } from '../wire/state-plan.ts';
import { exportQuery, importQuery } from '../wire/state-query.ts';

const listing = (resource: string) => toHome<unknown>({ verb: 'list', resource, permission: 'ADMIN' });

export const stateRoutes = [
  route({
    method: 'get',
    path: '/state/export',
    summary:
      'Export flags, strategy types, projects, tags and environments as one document. Archived flags are left out. Answers when asked for YAML in `text/yaml`.',
    refuses: [],
    asks: listing('featureflags'),
    alsoAsks: (known) =>
      ['environments', 'strategydefinitions'].map((resource) => listing(resource).of(known, undefined)),
    query: exportQuery,
    answer: 200,
    response: wireState,
    texts: ['text/yaml'],
    streams: 'whole',
    leavesOut: true,
    deprecated: true,
    handle: (services, { query }) => exportState(services, query),
  }),
  route({
    method: 'post',
    path: '/state/import',
    summary:
      'Import a state document. All of it is checked first, then it is written; after a failure half-way the same request goes on. One import is done at a time: another one waits for ten seconds and is then answered with 503. A dry run answers what would be done, and what is in the way.',
    refuses: ['name-taken', 'in-use', 'pattern-mismatch', 'field-managed'],
    asks: toHome({ verb: 'create', resource: 'featureflags', permission: 'ADMIN' }),
    query: importQuery,
    body: stateDocument,
    uploads: true,
    answer: 202,
    createsAnew: true,
    response: wireStatePlan,
    texts: ['text/plain'],
    deprecated: true,
    handle: (services, input) => importState(services, input),
  }),
];
