/** Every endpoint for SDKs. */
import { clientChangeRoutes } from './changes.ts';
import { edgeRoutes } from './edge.ts';
import { clientFeatureRoutes } from './features.ts';
import { clientReportRoutes } from './reports.ts';

export const clientRoutes = [...clientFeatureRoutes, ...clientChangeRoutes, ...clientReportRoutes, ...edgeRoutes];
