/** Every endpoint, by subject. */
import { isClientRoute } from '../route/client-route.ts';
import type { Section } from '../route/openapi/describe-api.ts';
import type { Route } from '../route/route.ts';
import { alertRoutes } from './alerts.ts';
import { apiTokenRoutes } from './api-tokens.ts';
import { applicationRoutes } from './applications.ts';
import { changeRequestRoutes } from './change-requests.ts';
import { changeRoutes } from './changes.ts';
import { sdkRoutes } from './client/all.ts';
import { frontendRoutes } from './client/frontend.ts';
import { ofrepRoutes } from './client/ofrep.ts';
import { clientMetricsRoutes } from './client-metrics.ts';
import { contextRoutes } from './context.ts';
import { environmentCloneRoutes, environmentRoutes } from './environments.ts';
import { featuresBatchRoutes } from './features-batch.ts';
import { archiveRoutes } from './flag/archive.ts';
import { bulkRoutes } from './flag/bulk.ts';
import { dependencyRoutes } from './flag/dependencies.ts';
import { featureSearchRoutes } from './flag/feature-search.ts';
import { featureTypeRoutes } from './flag/feature-types.ts';
import { featureRoutes } from './flag/features.ts';
import { staleReportRoutes } from './flag/stale-report.ts';
import { strategyRoutes } from './flag/strategies.ts';
import { switchRoutes } from './flag/switches.ts';
import { tagTypeRoutes } from './flag/tag-types.ts';
import { tagRoutes } from './flag/tags.ts';
import { variantRoutes } from './flag/variants.ts';
import { diffRoutes } from './history/diff.ts';
import { eventRoutes } from './history/events.ts';
import { forgetRoutes } from './history/forget.ts';
import { chainRoutes } from './history/history-chain.ts';
import { objectRoutes } from './history/objects.ts';
import { restoreRoutes } from './history/restore.ts';
import { meRoutes } from './me.ts';
import { memberRoutes } from './members.ts';
import { notificationSinkRoutes } from './notification-sinks.ts';
import { ownershipRoutes } from './ownership.ts';
import { playgroundRoutes } from './playground.ts';
import { projectEnvironmentRoutes } from './project-environments.ts';
import { projectRoutes } from './projects.ts';
import { roleRoutes } from './roles.ts';
import { segmentRoutes } from './segments.ts';
import { stateRoutes } from './state.ts';
import { strategyTypeRoutes } from './strategy-types.ts';
import { uiConfigRoutes } from './ui-config.ts';
import { userRoutes } from './users.ts';

export const sections: readonly Section[] = [
  { name: 'Projects', description: 'Projects group flags.', routes: [...projectRoutes, ...memberRoutes] },
  {
    name: 'Flags',
    description: 'The flags of a project, and their switch in each environment.',
    routes: [...featureRoutes, ...switchRoutes, ...featureTypeRoutes, ...ownershipRoutes],
  },
  {
    name: 'Several flags',
    description: 'Search of flags across projects, and operations on several flags of a project.',
    routes: [...featureSearchRoutes, ...bulkRoutes],
  },
  {
    name: 'Change requests',
    description: 'Changes that need the approval of other people ([approvals.md](approvals.md)).',
    routes: changeRequestRoutes,
  },
  { name: 'Dependencies', description: 'Flags that other flags depend on.', routes: dependencyRoutes },
  {
    name: 'Playground',
    description: 'Evaluates flags for a context and explains the results.',
    routes: playgroundRoutes,
  },
  { name: 'Tags', description: 'Tags of flags, for search and order.', routes: [...tagRoutes, ...tagTypeRoutes] },
  {
    name: 'Strategies',
    description: 'The strategies that decide for whom a flag is on in an environment.',
    routes: strategyRoutes,
  },
  {
    name: 'Strategy types',
    description: 'The types that strategies can have, each with its parameters.',
    routes: strategyTypeRoutes,
  },
  { name: 'Segments', description: 'Named sets of constraints that strategies share.', routes: segmentRoutes },
  { name: 'Context fields', description: 'The fields that constraints can name.', routes: contextRoutes },
  { name: 'Variants', description: 'The variants of a flag, each with its weight.', routes: variantRoutes },
  { name: 'Archive', description: 'Archived flags.', routes: archiveRoutes },
  {
    name: 'Usage',
    description: 'Reports of SDKs: evaluations, applications and flags that can be removed.',
    routes: [...clientMetricsRoutes, ...applicationRoutes, ...staleReportRoutes],
  },
  {
    name: 'Environments',
    description: 'Environments, and the environments of projects.',
    routes: [...environmentRoutes, ...projectEnvironmentRoutes, ...environmentCloneRoutes],
  },
  {
    name: 'Events',
    description: 'The history of changes, with their authors, and changes as they happen.',
    routes: [
      ...eventRoutes,
      ...diffRoutes,
      ...restoreRoutes,
      ...objectRoutes,
      ...forgetRoutes,
      ...chainRoutes,
      ...changeRoutes,
    ],
  },
  {
    name: 'Notifications',
    description: 'Receivers that get the history ([notifications.md](notifications.md)).',
    routes: notificationSinkRoutes,
  },
  { name: 'Alerts', description: 'Alerts of Prometheus that change flags.', routes: alertRoutes },
  {
    name: 'State',
    description: 'Export and import of all flags as one document.',
    routes: [...stateRoutes, ...featuresBatchRoutes],
  },
  {
    name: 'Users',
    description: 'The users of Vexil, and the caller.',
    routes: [...userRoutes, ...roleRoutes, ...meRoutes],
  },
  { name: 'API tokens', description: 'Tokens for programs.', routes: apiTokenRoutes },
  { name: 'Server', description: 'Information about the server.', routes: uiConfigRoutes },
  {
    name: 'SDKs',
    description: 'Endpoints for server-side Unleash SDKs and Unleash Edge. They need a client token.',
    routes: sdkRoutes,
  },
  {
    name: 'Browsers',
    description: 'Endpoints for Unleash SDKs in browsers and mobile applications. They need a frontend token.',
    routes: frontendRoutes,
  },
  {
    name: 'OpenFeature',
    description:
      'The OpenFeature Remote Evaluation Protocol (OFREP) 0.3.0. It takes client and frontend tokens, in `Authorization` or `X-API-Key`.',
    routes: ofrepRoutes,
  },
];

/** The endpoints below /api/admin. */
export const routes = sections
  .flatMap((section) => section.routes)
  .filter((route): route is Route => !isClientRoute(route));
