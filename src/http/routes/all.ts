/** Every endpoint below /api/admin, by what it is about. */
import type { Section } from '../openapi/describe-api.ts';
import { apiTokenRoutes } from './api-tokens.ts';
import { archiveRoutes } from './archive.ts';
import { bulkRoutes } from './bulk.ts';
import { environmentCloneRoutes } from './environment-clone.ts';
import { environmentRoutes } from './environments.ts';
import { eventRoutes } from './events.ts';
import { featureSearchRoutes } from './feature-search.ts';
import { featureTypeRoutes } from './feature-types.ts';
import { featureRoutes } from './features.ts';
import { memberRoutes } from './members.ts';
import { ownershipRoutes } from './ownership.ts';
import { projectEnvironmentRoutes } from './project-environments.ts';
import { projectRoutes } from './projects.ts';
import { stateRoutes } from './state.ts';
import { strategyRoutes } from './strategies.ts';
import { strategyTypeRoutes } from './strategy-types.ts';
import { switchRoutes } from './switches.ts';
import { tagRoutes } from './tags.ts';
import { uiConfigRoutes } from './ui-config.ts';
import { userRoutes } from './users.ts';
import { variantRoutes } from './variants.ts';

export const sections: readonly Section[] = [
  { name: 'Projects', description: 'What groups flags.', routes: [...projectRoutes, ...memberRoutes] },
  {
    name: 'Flags',
    description: 'The flags of a project, and their switch in each environment.',
    routes: [...featureRoutes, ...switchRoutes, ...featureTypeRoutes, ...ownershipRoutes],
  },
  {
    name: 'Several flags',
    description: 'Flags of any project, and the same for several flags of one.',
    routes: [...featureSearchRoutes, ...bulkRoutes],
  },
  { name: 'Tags', description: 'What people sort flags by.', routes: tagRoutes },
  { name: 'Strategies', description: 'For whom a flag is on in an environment.', routes: strategyRoutes },
  {
    name: 'Strategy types',
    description: 'What strategies there can be, each with its parameters.',
    routes: strategyTypeRoutes,
  },
  { name: 'Variants', description: 'The answers of a flag, each with its share.', routes: variantRoutes },
  { name: 'Archive', description: 'Flags that are out of use.', routes: archiveRoutes },
  {
    name: 'Environments',
    description: 'Where flags are on or off.',
    routes: [...environmentRoutes, ...projectEnvironmentRoutes, ...environmentCloneRoutes],
  },
  { name: 'Events', description: 'What happened, and who did it.', routes: eventRoutes },
  { name: 'State', description: 'Everything in one document, out and in.', routes: stateRoutes },
  { name: 'Users', description: 'Who works with flags.', routes: userRoutes },
  { name: 'API tokens', description: 'What lets programs in.', routes: apiTokenRoutes },
  { name: 'Server', description: 'What answers.', routes: uiConfigRoutes },
];

export const routes = sections.flatMap((section) => section.routes);
