/** Where the names in the summary of an event lead. */
import type { Catalog } from '../../catalog/catalog.ts';
import { isArchived } from '../../domain/flag-values.ts';
import { isInProject } from '../find.ts';
import { segment } from './event-markdown.ts';

/** Undefined: to nothing that is there. */
export interface Links {
  flag(name: string, project: string): string | undefined;
  project(id: string): string | undefined;
}

/** Only to what is there now: an archived flag has no page, nor has one in another project. `base` has no slash at its end. */
export function linksBelow(catalog: Catalog, base = ''): Links {
  const pathOf = (id: string) => `${base}/projects/${segment(id)}`;
  return {
    flag(name, project) {
      const flag = catalog.flag(name);
      const isThere = flag && !isArchived(flag) && isInProject(catalog, flag, project);
      return isThere ? `${pathOf(project)}/features/${segment(name)}` : undefined;
    },
    project: (id) => (catalog.project(id) ? pathOf(id) : undefined),
  };
}
