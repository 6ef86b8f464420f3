/** …/restore: gives flags the state of a past time. */
import type { z } from 'zod';
import { toFlag, toFlags, toFlagsOfBody } from '../../../access/authorization/requirements.ts';
import { runBulk } from '../../../actions/bulk.ts';
import { type FlagToRestore, isAsItWas, type RestoredFlag, restoreFlag } from '../../../actions/restore-flags.ts';
import { type FlagPath, isInProject } from '../../../catalog/find.ts';
import { isArchived } from '../../../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../../../domain/identity/names.ts';
import { Refusal } from '../../../errors.ts';
import { inTurn, type Turn } from '../../../runtime/turns.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { MAX_FLAGS } from '../../../wire/admin/flag/bulk-input.ts';
import {
  presentRestored,
  restoreBody,
  restoreFlagsBody,
  restoreReason,
  wireRestoredFlag,
  wireRestoredFlags,
} from '../../../wire/admin/past/restore.ts';
import { askPast } from '../../route/past-services.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type RouteServices, route } from '../../route/route.ts';
import { checkRemoval } from '../flag/check-removal.ts';
import { flagPath } from '../flag/features.ts';
import { projectPath } from '../projects.ts';

const ofOne = toFlag('patch', 'UPDATE_FEATURE');
const ofAll = toFlags('patch', 'UPDATE_FEATURE');
const description =
  'The write is like any other of the API: ownership, freezes and approvals apply. In addition to UPDATE_FEATURE, it needs the permission of each part that it changes, such as UPDATE_FEATURE_ENVIRONMENT for a switch, and CREATE_FEATURE for a flag that is gone, which is made again as a new object. The history has the reason `Restored to TIME`.';

export const restoreRoutes = [
  route({
    method: 'post',
    path: '/projects/:projectId/features/:featureName/restore',
    summary: 'Give a flag the state that it had at a past time. A dry run answers what would change.',
    description: `${description} If another object has the name now, the answer is 403 with the \`uid\` to send.`,
    errors: ['not-found', 'in-use', 'still-asked-for', 'name-taken', 'pattern-mismatch', 'invalid-operation'],
    requires: ofOne,
    params: flagPath,
    body: restoreBody,
    answer: 200,
    response: wireRestoredFlag,
    reason: ({ body: { at } }, said) => restoreReason(at, said),
    past: ({ params: { projectId, featureName }, body: { at, inGap } }) =>
      askPast({ at, inGap, part: 'body' }, { of: 'names', names: [featureName] }, projectId),
    handle: async (then, { params, body, dryRun, ifMatch }) => {
      const services = presentOf(then);
      const flag = toRestore({ then, services }, params, body);
      if (!flag.present) refuseVersionOfGone(ifMatch);
      await checkArchiving(services, [flag]);
      const expect = ifPresent(ifMatch, services.pages);
      return presentRestored(await restoreFlag(services, flag, { dryRun, expect }));
    },
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/restore',
    summary: `Give the flags of a project the state that they had at a past time, at most ${MAX_FLAGS} that differ. A dry run answers what would change.`,
    description: `${description} Each flag is a separate write. Vexil first tries all writes as dry runs. If a write fails afterwards, the earlier writes stay, and the details list each flag: send the request again.`,
    errors: [
      'not-found',
      'in-use',
      'still-asked-for',
      'name-taken',
      'pattern-mismatch',
      'field-managed',
      'invalid-operation',
    ],
    requires: toFlagsOfBody('patch', 'UPDATE_FEATURE'),
    requiresFromBody: (known, { params, body: { features } }) =>
      features === undefined
        ? [ofAll.of(known, params)]
        : [...new Set(features)].map((featureName) => ofOne.of(known, { ...params, featureName })),
    params: projectPath,
    body: restoreFlagsBody,
    answer: 200,
    answersPlan: true,
    creates: true,
    response: wireRestoredFlags,
    reason: ({ body: { at } }, said) => restoreReason(at, said),
    past: ({ params: { projectId }, body: { at, inGap } }) =>
      askPast({ at, inGap, part: 'body' }, { of: 'projects', projects: [projectId] }, projectId),
    handle: async (then, { params: { projectId }, body: { features }, dryRun, turn }) => {
      const services = presentOf(then);
      const { changing, stay, otherObjects } = await allToRestore({ then, services, turn }, projectId, features);
      await checkArchiving(services, changing);
      const restored = new Map<string, RestoredFlag>();
      const presents = new Map(changing.map(({ was, present }) => [was, present]));
      const act = async (was: FeatureFlag, options: { readonly dryRun: boolean }) => {
        const done = await restoreFlag(services, { was, present: presents.get(was) }, options);
        restored.set(done.name, done);
      };
      await runBulk([...presents.keys()], { done: 'restored', act }, dryRun);
      const flags = changing.flatMap(({ was }) => restored.get(wireNameOf(was)) ?? []);
      return { flags: flags.map(presentRestored), stay: [...stay], otherObjects: [...otherObjects] };
    },
  }),
];

/** Those of the present. */
function presentOf({ other }: RouteServices): RouteServices {
  if (!other) throw new Error('a restore has a past time');
  return other;
}

type CatalogServices = Pick<RouteServices, 'catalog'>;

function flagIn({ catalog }: CatalogServices, { projectId, featureName }: FlagPath): FeatureFlag | undefined {
  const flag = catalog.flag(featureName);
  return flag && isInProject(catalog, flag, projectId) ? flag : undefined;
}

interface ThenAndNow {
  /** The services of the past time. */
  readonly then: CatalogServices;
  readonly services: CatalogServices;
}

/** Finds the flag of then, by its object: another one may have the name now. */
function toRestore(
  { then, services }: ThenAndNow,
  path: FlagPath,
  { at, uid }: z.infer<typeof restoreBody>,
): FlagToRestore {
  const { projectId, featureName } = path;
  const when = new Date(at).toISOString();
  const was = flagIn(then, path);
  if (!was) {
    throw new Refusal('not-found', `There was no flag named "${featureName}" in project "${projectId}" at ${when}.`);
  }
  const present = flagIn(services, path);
  const { uid: former } = was.metadata;
  if (uid !== undefined && uid !== former) {
    const message = `The flag "${featureName}" had the uid ${former} at ${when}.`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['uid'], message }] });
  }
  if (isOther({ was, present }) && uid === undefined) {
    const message = `The name "${featureName}" belonged to another object at ${when}, which is gone. To give its state to the flag that has the name now, send "uid": "${former}".`;
    throw new Refusal('invalid-operation', message);
  }
  return { was, present };
}

/** The console sends `*`, as it has no version of a flag that is gone. */
function refuseVersionOfGone(ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  throw new Refusal('precondition-failed', 'The flag is gone, so it has no version that If-Match could name.');
}

/** Whether another object has the name now. One with the same spec is as good: the flag may have been made again. */
function isOther({ was, present }: FlagToRestore): boolean {
  return present !== undefined && present.metadata.uid !== was.metadata.uid && !isAsItWas({ was, present });
}

interface FlagsOfRestore {
  readonly changing: readonly FlagToRestore[];
  readonly stay: readonly string[];
  readonly otherObjects: readonly string[];
}

interface AllTimes extends ThenAndNow {
  readonly turn: Turn;
}

/** A project may have thousands of flags, which are compared in turns. */
async function allToRestore(
  { then, services, turn }: AllTimes,
  projectId: string,
  features: readonly string[] | undefined,
): Promise<FlagsOfRestore> {
  const namesIn = ({ catalog }: CatalogServices) => (catalog.view(projectId)?.flags ?? []).map(wireNameOf);
  const names = [...new Set(features ?? [...namesIn(then), ...namesIn(services)])].sort(compareText);
  const flags = names.map((featureName) => {
    const path = { projectId, featureName };
    return { name: featureName, was: flagIn(then, path), present: flagIn(services, path) };
  });
  const unknown = flags.filter(({ was, present }) => !was && !present).map(({ name }) => `"${name}"`);
  if (unknown.length > 0) {
    const message = `The project "${projectId}" has no such flags, and had none then: ${unknown.join(', ')}.`;
    throw new Refusal('not-found', message);
  }
  const changing: FlagToRestore[] = [];
  const otherObjects: string[] = [];
  for (const { name, was, present } of flags) {
    await inTurn(turn, () => {
      if (!was || isAsItWas({ was, present })) return;
      if (isOther({ was, present })) otherObjects.push(name);
      else changing.push({ was, present });
    });
  }
  if (changing.length > MAX_FLAGS) {
    const message = `${changing.length} flags differ from that time, and a request restores at most ${MAX_FLAGS}: name them in "features".`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['features'], message }] });
  }
  return {
    changing,
    stay: flags.filter(({ was }) => !was).map(({ name }) => name),
    otherObjects,
  };
}

/** Flags that were in the archive go there again. */
async function checkArchiving(services: RouteServices, flags: readonly FlagToRestore[]): Promise<void> {
  const leaving = flags.flatMap(({ was, present }) =>
    present && isArchived(was) && !isArchived(present) ? [present] : [],
  );
  await checkRemoval(services, leaving);
}
