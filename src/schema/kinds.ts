/** All kinds, for what is made from every one of them. */
import { environment } from './environment.ts';
import { featureFlag } from './feature-flag.ts';
import { project } from './project.ts';

export const kinds = [featureFlag, project, environment] as const;
