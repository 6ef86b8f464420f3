/** Environments of one project, on the wire. */
import { z } from 'zod';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { ProjectSummary } from '../../../domain/project/project-summary.ts';
import type { Environment } from '../../../schema/environment.ts';
import { wireNatural } from '../fields.ts';
import { freezeInForce, plainEnvironment, presentPlainEnvironment } from './environment.ts';
import { presentFreezeAt } from './freeze.ts';

const wireProjectEnvironment = z
  .object({
    ...plainEnvironment,
    freeze: freezeInForce,
    enabled: z.boolean().meta({ description: 'The project uses it.', examples: [true] }),
    visible: z.boolean().meta({ description: 'The same as enabled.', examples: [true] }),
    projectApiTokenCount: wireNatural.meta({
      description: 'API tokens for the environment that are for the project, and maybe also for others.',
      examples: [2],
    }),
    projectEnabledToggleCount: wireNatural.meta({
      description: 'Flags of the project that are on in it.',
      examples: [5],
    }),
  })
  .meta({ id: 'ProjectEnvironment' });

export const wireProjectEnvironments = z
  .object({
    version: z.literal(1),
    environments: z.array(wireProjectEnvironment).meta({ description: 'Lower sortOrder first.' }),
  })
  .meta({ id: 'ProjectEnvironments' });

interface EnvironmentsOfProject {
  readonly every: readonly Environment[];
  readonly used: readonly Environment[];
  readonly summary: ProjectSummary;
  /** How many API tokens are for the project in an environment. */
  readonly tokensIn: (environment: string) => number;
  /** In ms since 1970. */
  readonly now: number;
}

export function presentProjectEnvironments({
  every,
  used,
  summary,
  tokensIn,
  now,
}: EnvironmentsOfProject): z.infer<typeof wireProjectEnvironments> {
  const environments = every.map((environment) => {
    const isUsed = used.includes(environment);
    return {
      ...presentPlainEnvironment(environment),
      enabled: isUsed,
      visible: isUsed,
      freeze: presentFreezeAt(environment, now),
      projectApiTokenCount: tokensIn(wireNameOf(environment)),
      projectEnabledToggleCount: summary.enabled.get(wireNameOf(environment)) ?? 0,
    };
  });
  return { version: 1, environments };
}
