/** Every endpoint for SDKs. */
import { edgeRoutes } from './edge.ts';
import { clientFeatureRoutes } from './features.ts';
import { clientReportRoutes } from './reports.ts';

export const clientRoutes = [...clientFeatureRoutes, ...clientReportRoutes, ...edgeRoutes];
