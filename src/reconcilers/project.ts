/** Keeps a project's status true to its spec, its environments, and what its flags add up to. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeProject } from '../domain/judge-project.ts';
import { wireNameOf } from '../domain/names.ts';
import { summarize } from '../domain/project-summary.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { Ref } from '../schema/object.ts';
import type { ProjectSpec, ProjectStatus } from '../schema/project.ts';
import { type Judged, type Publish, publishDuplicate, report } from './status.ts';

interface Parts {
  readonly projects: Judged<ProjectSpec, ProjectStatus>;
  readonly catalog: Catalog;
  readonly publish: Publish;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function projectReconciler({ projects, catalog, publish, now }: Parts) {
  const { everyEnvironment, people } = catalog;
  const nothing = summarize([], catalog.effectOf, 0);

  return async function reconcile(ref: Ref): Promise<Outcome> {
    const project = projects.get(ref);
    if (!project || project.metadata.deletionTimestamp) return done;

    const rival = catalog.projectRival(project);
    const view = rival ? undefined : catalog.view(wireNameOf(project));
    const summary = view ? catalog.summaryOf(view) : nothing;
    const duplicates = catalog.projectDuplicates(project);
    const context = { project, rival, duplicates, everyEnvironment: everyEnvironment(), people, summary };
    const verdict = judgeProject(context, now());
    await publishDuplicate(project, verdict.status, publish);
    return report(projects, project, verdict);
  };
}
