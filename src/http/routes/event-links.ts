/** Links of the names in summaries of events. */
import type { Catalog } from '../../catalog/catalog.ts';
import { isInProject } from '../../catalog/find.ts';
import { isArchived } from '../../domain/flag/flag-values.ts';
import { pathSegment } from '../../wire/admin/event-markdown.ts';
import type { Links } from '../../wire/admin/event-words.ts';

/** Links only to existing projects and to flags that are not archived. `base` has no trailing slash. */
export function linksBelow(catalog: Catalog, base = ''): Links {
  const pathOf = (id: string) => `${base}/projects/${pathSegment(id)}`;
  return {
    flag(name, project) {
      const flag = catalog.flag(name);
      const isFound = flag && !isArchived(flag) && isInProject(catalog, flag, project);
      return isFound ? `${pathOf(project)}/features/${pathSegment(name)}` : undefined;
    },
    project: (id) => (catalog.project(id) ? pathOf(id) : undefined),
  };
}
