/** GET /projects/:projectId/diff: what changed between two times. */
import { toFlags, toProject } from '../../../access/authorization/requirements.ts';
import { compareText, wireNameOf } from '../../../domain/identity/names.ts';
import { Refusal } from '../../../errors.ts';
import { fieldChanges } from '../../../kube/object/field-changes.ts';
import { isSameSpec } from '../../../kube/write/merge-spec.ts';
import { inTurn } from '../../../runtime/turns.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { diffQuery, type FlagDiff, presentDiff, wireDiff } from '../../../wire/admin/past/diff.ts';
import { askPast } from '../../route/past-services.ts';
import { type RouteServices, route } from '../../route/route.ts';
import { projectPath } from '../projects.ts';

export const diffRoutes = [
  route({
    method: 'get',
    path: '/projects/:projectId/diff',
    summary: 'List the flags of a project that differ between two times, field by field.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    alsoRequires: [toFlags('get', 'NONE')],
    params: projectPath,
    query: diffQuery,
    answer: 200,
    response: wireDiff,
    past: ({ params: { projectId }, query }) => askAt(query.from, { key: 'from', projectId, query }),
    pastTo: ({ params: { projectId }, query }) => askAt(query.to, { key: 'to', projectId, query }),
    handle: async (earlier, { params: { projectId }, query: { feature, inGap }, turn }) => {
      const { other: later = earlier } = earlier;
      const [old, now] = [earlier, later].map((services) => flagsIn(services, projectId));
      if (!old && !now) throw new Refusal('not-found', `There is no project with the id "${projectId}".`);
      const spans = inGap === undefined ? uncertainIn([earlier, later], projectId) : new Map();
      const known = new Set([...(old ?? new Map()).keys(), ...(now ?? new Map()).keys(), ...spans.keys()]);
      const names = [...known].filter((name) => feature.length === 0 || feature.includes(name)).sort(compareText);
      const found: FlagDiff[] = [];
      for (const name of names) {
        const pair = { before: old?.get(name), after: now?.get(name), uncertain: spans.get(name) ?? [] };
        const diff = await inTurn(turn, () => diffOf(name, pair));
        if (diff) found.push(diff);
      }
      return presentDiff(found);
    },
  }),
];

interface ComparedTime {
  readonly key: 'from' | 'to';
  readonly projectId: string;
  readonly query: { readonly inGap?: 'before' | 'after' | undefined };
}

/** Which flags are uncertain is a part of the answer. */
function askAt(at: string | undefined, { key, projectId, query }: ComparedTime) {
  const question = askPast({ at, inGap: query.inGap }, { of: 'projects', projects: [projectId] }, projectId);
  return question && { ...question, key, takesUncertain: true };
}

type FlagsByName = ReadonlyMap<string, FeatureFlag>;

function flagsIn({ catalog }: Pick<RouteServices, 'catalog'>, projectId: string): FlagsByName | undefined {
  const view = catalog.view(projectId);
  return view && new Map(view.flags.map((flag) => [wireNameOf(flag), flag]));
}

function uncertainIn(times: readonly RouteServices[], projectId: string): Map<string, FlagDiff['uncertain']> {
  const flags = times.flatMap(({ uncertainFlags = [] }) => uncertainFlags);
  const here = flags.filter(({ project }) => project === projectId);
  const byName = Map.groupBy(here, ({ name }) => name);
  return new Map(
    [...byName].map(([name, some]) => {
      // Both sides of one change have the same span.
      const spans = new Map(some.map(({ span }) => [`${span.from} ${span.until}`, span]));
      return [name, [...spans.values()]];
    }),
  );
}

interface Pair {
  readonly before: FeatureFlag | undefined;
  readonly after: FeatureFlag | undefined;
  readonly uncertain: FlagDiff['uncertain'];
}

/** Undefined: nothing differs. */
function diffOf(name: string, { before, after, uncertain }: Pair): FlagDiff | undefined {
  const plain = { name, changes: [], uncertain };
  if (uncertain.length > 0) return { ...plain, action: 'uncertain' };
  if (before && after) return changeOf(name, before, after);
  if (before) return { ...plain, action: 'gone' };
  return after && { ...plain, action: 'created' };
}

function changeOf(name: string, before: FeatureFlag, after: FeatureFlag): FlagDiff | undefined {
  const isReplaced = before.metadata.uid !== after.metadata.uid;
  if (!isReplaced && isSameSpec(before.spec, after.spec)) return undefined;
  const changes = fieldChanges({ spec: before.spec }, { spec: after.spec });
  return { name, action: isReplaced ? 'replaced' : 'changed', changes, uncertain: [] };
}
