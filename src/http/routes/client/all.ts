/** Every endpoint for SDKs. */
import { clientChangeRoutes } from './changes.ts';
import { edgeRoutes } from './edge.ts';
import { clientFeatureRoutes } from './features.ts';
import { frontendRoutes } from './frontend.ts';
import { ofrepRoutes } from './ofrep.ts';
import { clientReportRoutes } from './reports.ts';

export const sdkRoutes = [...clientFeatureRoutes, ...clientChangeRoutes, ...clientReportRoutes, ...edgeRoutes];

export const clientRoutes = [...sdkRoutes, ...frontendRoutes, ...ofrepRoutes];
