/** Keeps a project's status true to its spec, its environments, and what its flags add up to. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeProject } from '../domain/judge-project.ts';
import { wireNameOf } from '../domain/names.ts';
import { summarize } from '../domain/project-summary.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { Ref } from '../schema/object.ts';
import type { ProjectSpec, ProjectStatus } from '../schema/project.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly projects: Judged<ProjectSpec, ProjectStatus>;
  readonly catalog: Catalog;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function projectReconciler({ projects, catalog, now }: Parts) {
  const { everyEnvironment, people } = catalog;
  const nothing = summarize([], catalog.effectOf, 0);

  return async function reconcile(ref: Ref): Promise<Outcome> {
    const project = projects.get(ref);
    if (!project || project.metadata.deletionTimestamp) return done;

    const rival = catalog.projectRival(project);
    const view = rival ? undefined : catalog.view(wireNameOf(project));
    const summary = view ? catalog.summaryOf(view) : nothing;
    const verdict = judgeProject({ project, rival, everyEnvironment: everyEnvironment(), people, summary }, now());
    return report(projects, project, verdict);
  };
}
