/** Every endpoint below /api/admin. */
import { archiveRoutes } from './archive.ts';
import { environmentRoutes } from './environments.ts';
import { featureRoutes } from './features.ts';
import { projectRoutes } from './projects.ts';

export const routes = [...projectRoutes, ...featureRoutes, ...archiveRoutes, ...environmentRoutes];
