/** /features-batch: export of flags of one environment, and import into one. */
import { z } from 'zod';
import { signedIn, toHome } from '../../access/authorization/requirements.ts';
import { projectsOfReadableFlags } from '../../access/readable/readable-objects.ts';
import { readState, unreadableIn } from '../../actions/export-state.ts';
import { type Imported, importState } from '../../actions/import-state.ts';
import { findEnvironment, findProject } from '../../catalog/find.ts';
import { isArchived, projectIdOf } from '../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { State } from '../../domain/state/exported-state.ts';
import { askedSentence } from '../../domain/usage/removal.ts';
import { isRefusal, Refusal } from '../../errors.ts';
import { detailMessage, invalid, quoteValue } from '../../model/invalid-input.ts';
import { collectInTurns, turnsOfRequest } from '../../runtime/turns.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { type BatchExportBody, batchExportBody, presentBatch, wireBatch } from '../../wire/admin/state/batch-export.ts';
import {
  type BatchImportBody,
  type BatchValidation,
  batchImportBody,
  type ReadBatch,
  readBatch,
  wireBatchValidation,
} from '../../wire/admin/state/batch-import.ts';
import { readStateDocument } from '../../wire/admin/state/state-reading.ts';
import { repairDetail, repairedPart } from '../../wire/admin/state/state-repairs.ts';
import { type RouteServices, route } from '../route/route.ts';
import { askedForAmong } from './flag/check-removal.ts';
import { storedPayloads } from './state.ts';

const importQuery = z.object({
  trustSwitches: z.enum(['true', 'false']).default('false').meta({
    description:
      'Whether an export in which every flag is on is believed. Some versions of Unleash 6 export all flags as on; without this, such flags are written switched off, and named.',
  }),
});

const toImport = toHome<unknown>({ verb: 'create', resource: 'featureflags', permission: 'ADMIN' });

export const featuresBatchRoutes = [
  route({
    method: 'post',
    path: '/features-batch/export',
    summary: 'Export flags of one environment, by name, tag or project.',
    description:
      'Flags that are archived, or that the caller may not read, are left out; an unknown name is 404. The answer has the order of strategies, which Unleash does not export.',
    errors: ['not-found'],
    requires: signedIn,
    body: batchExportBody,
    answer: 200,
    response: wireBatch,
    omitsUnreadable: true,
    writesNothing: true,
    creates: true,
    handle: async (services, { body, turn }) => {
      // A caller who can read no flag does not learn which environments exist.
      if ((await projectsOfReadableFlags(services)).length > 0) findEnvironment(services.catalog, body.environment);
      const sections = { featureToggles: true, strategies: false, projects: false, tags: true, environments: false };
      const state = chosen(await readState(services, sections), body);
      services.notes.leaveOut((await collectInTurns(unreadableIn(state), turn)).flat());
      return presentBatch(state, body.environment);
    },
  }),
  route({
    method: 'post',
    path: '/features-batch/validate',
    summary: 'Check an import into one environment. Nothing is written.',
    description:
      'A dry run of the import: `errors` are what it would refuse, `warnings` what it overwrites or repairs.',
    errors: ['not-found'],
    requires: toImport,
    query: importQuery,
    body: batchImportBody,
    answer: 200,
    response: wireBatchValidation,
    writesNothing: true,
    creates: true,
    handle: (services, input) => validated(importBatch(services, { ...input, dryRun: true })),
  }),
  route({
    method: 'post',
    path: '/features-batch/import',
    summary: 'Import flags into one environment of a project.',
    description:
      'The plan of `POST /state/import` without `keep`: everything is checked before the first write; flags keep their other environments, and the strategies of this environment are replaced. Segments and strategy types must exist, as in Unleash. Archived flags are left out. The answer has the warnings; Unleash answers no body. The body has the limit of other bodies (`VEXIL_BODY_LIMIT`); larger exports are read by `vexil import`.',
    errors: ['not-found', 'name-taken', 'pattern-mismatch', 'field-managed'],
    requires: toImport,
    touches: 'all',
    answersPlan: true,
    query: importQuery,
    body: batchImportBody,
    answer: 200,
    creates: true,
    response: wireBatchValidation,
    handle: (services, input) => importBatch(services, input),
  }),
];

function chosen(state: State, { features, tag, project }: BatchExportBody): State {
  const flags = state.flags.filter(({ flag }) => {
    if (features) return features.length === 0 || features.includes(wireNameOf(flag));
    if (tag !== undefined) return (flag.spec.tags ?? []).some((one) => one === tag || one.endsWith(`:${tag}`));
    return projectIdOf(flag) === project;
  });
  const found = new Set(flags.map(({ flag }) => wireNameOf(flag)));
  const missing = (features ?? []).filter((name) => !found.has(name));
  if (missing.length === 0) return { ...state, flags };
  throw new Refusal('not-found', `There is no flag named ${missing.slice(0, 20).map(quoteValue).join(', ')}.`);
}

interface BatchRequest {
  readonly query: z.output<typeof importQuery>;
  readonly body: BatchImportBody;
  readonly dryRun: boolean;
}

async function importBatch(services: RouteServices, { query, body, dryRun }: BatchRequest): Promise<BatchValidation> {
  const { catalog, notes } = services;
  refusePlace(services, body);
  const archived = body.data.features
    .map(({ name }) => `${name}`)
    .filter((name) => archivedIn(catalog.flag(name), body.project));
  const left = new Set(archived);
  const trustSwitches = query.trustSwitches === 'true';
  const turn = turnsOfRequest();
  const batch = await readBatch(body, { isLeftOut: (flag) => left.has(flag), trustSwitches, pause: turn });
  refuseUnknownSegments(services, batch);
  const imported = await importState(services, {
    mode: { keep: false, drop: false, prune: false },
    environment: body.environment,
    dryRun,
    askedForAmong: (flags) => askedForAmong(services, flags),
    async read(chooseEnvironment) {
      const wanted = await readStateDocument(batch.document, {
        chooseEnvironment,
        pause: turn,
        hasPayload: storedPayloads(services),
      });
      return { ...wanted, segments: undefined, strategyTypes: undefined };
    },
  });
  notes.noteRepaired(batch.repairs.map(repairedPart));
  notes.noteDoubted(batch.notes.map(({ path }) => path));
  return presentValidation(imported, { batch, archived });
}

function archivedIn(flag: FeatureFlag | undefined, project: string): boolean {
  return flag !== undefined && isArchived(flag) && projectIdOf(flag) === project;
}

function refusePlace({ catalog }: RouteServices, { project, environment }: BatchImportBody): void {
  const { environments } = findProject(catalog, project).flagContext;
  findEnvironment(catalog, environment);
  if (environments.some((one) => wireNameOf(one) === environment)) return;
  const complaint = `must be an environment of the project "${project}".`;
  throw invalid([{ part: 'body', keys: ['environment'], complaint, value: quoteValue(environment) }]);
}

/** A segment of a batch export has only its name. */
function refuseUnknownSegments({ catalog }: RouteServices, { document }: ReadBatch): void {
  const unknown = (document.segments ?? []).filter(({ name }) => !catalog.segmentNamed(name));
  if (unknown.length === 0) return;
  const complaint = 'must be the name of an existing segment: create it first.';
  throw invalid(
    unknown.map(({ name }) => ({ part: 'document', keys: ['segments'], complaint, value: quoteValue(name) })),
  );
}

interface ValidatedBatch {
  readonly batch: ReadBatch;
  readonly archived: readonly string[];
}

function presentValidation({ plan, conflicts, asked }: Imported, { batch, archived }: ValidatedBatch): BatchValidation {
  const overwritten = [...plan.flags.changed.map(({ object }) => wireNameOf(object)), ...plan.skipped.features];
  const finding = (message: string, affectedItems: readonly string[] = []) => {
    return { message, affectedItems: [...affectedItems] };
  };
  const listed = (message: string, names: readonly string[]) => (names.length > 0 ? [finding(message, names)] : []);
  return {
    errors: conflicts.map((detail) => finding(detailMessage(detail))),
    warnings: [
      ...listed('The following features already exist in this project and will be overwritten:', overwritten.sort()),
      ...listed('The following features will not be imported as they are currently archived:', archived),
      ...batch.notes.map(({ path, advice }) => finding(advice, [path])),
      ...batch.repairs.map((repair) => finding(detailMessage(repairDetail(repair)), repair.of ? [repair.of] : [])),
      ...asked.map((one) => finding(askedSentence(one), [one.name])),
    ],
    permissions: [],
  };
}

/** What is wrong with the document is an answer of a validation, not an error. */
async function validated(validation: Promise<BatchValidation>): Promise<BatchValidation> {
  try {
    return await validation;
  } catch (error) {
    if (!isRefusal(error, 'invalid', 'pattern-mismatch')) throw error;
    const messages = error.details.length > 0 ? error.details.map(detailMessage) : [error.message];
    return { errors: messages.map((message) => ({ message, affectedItems: [] })), warnings: [], permissions: [] };
  }
}
