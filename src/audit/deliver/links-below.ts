/** Links to the pages of the console for the names in a summary. */
import type { Catalog } from '../../catalog/catalog.ts';
import { isInProject } from '../../catalog/find.ts';
import { isArchived } from '../../domain/flag/flag-values.ts';
import { flagPage, projectPage } from '../../domain/identity/console-pages.ts';
import type { Links } from '../../wire/admin/event/event-words.ts';

/** Links only to existing projects and to flags that are not archived. `base` has no trailing slash. */
export function linksBelow(catalog: Catalog, base = ''): Links {
  return {
    flag(name, project) {
      const flag = catalog.flag(name);
      const isFound = flag && !isArchived(flag) && isInProject(catalog, flag, project);
      return isFound ? base + flagPage({ project, flag: name }) : undefined;
    },
    project: (id) => (catalog.project(id) ? base + projectPage(id) : undefined),
  };
}
