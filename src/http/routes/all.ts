/** Every endpoint below /api/admin. */
import { archiveRoutes } from './archive.ts';
import { environmentRoutes } from './environments.ts';
import { featureRoutes } from './features.ts';
import { projectRoutes } from './projects.ts';
import { strategyRoutes } from './strategies.ts';
import { switchRoutes } from './switches.ts';
import { variantRoutes } from './variants.ts';

export const routes = [
  ...projectRoutes,
  ...featureRoutes,
  ...switchRoutes,
  ...strategyRoutes,
  ...variantRoutes,
  ...archiveRoutes,
  ...environmentRoutes,
];
