/** All kinds, for what is made from every one of them. */
import { apiToken } from './api-token.ts';
import { environment } from './environment.ts';
import { featureFlag } from './feature-flag.ts';
import { flagRole } from './flag-role.ts';
import { flagUser } from './flag-user.ts';
import { project } from './project.ts';
import { strategyDefinition } from './strategy-definition.ts';

export const kinds = [featureFlag, project, environment, flagUser, flagRole, apiToken, strategyDefinition] as const;
