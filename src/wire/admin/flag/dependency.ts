/** Dependencies of flags on the wire. */
import { z } from 'zod';
import { type Dependency, dependency } from '../../../schema/dependency.ts';

const EXAMPLE = { feature: 'payments', enabled: true, variants: ['blue'] };

export const wireDependency = z
  .object({
    feature: z.string().meta({ description: 'The parent.' }),
    enabled: z.boolean().meta({ description: 'Whether the parent must be on.' }),
    variants: z
      .array(z.string())
      .optional()
      .meta({ description: 'The parent must have one of these variants. Absent: any variant.' }),
  })
  .meta({ id: 'Dependency', examples: [EXAMPLE] });

export function presentDependency({ feature, enabled, variants }: Dependency): z.infer<typeof wireDependency> {
  return { feature, enabled: enabled ?? true, ...(variants && variants.length > 0 && { variants: [...variants] }) };
}

const { feature, enabled, variants } = dependency.shape;

export const dependencyBody = z.object({ feature, enabled: enabled.nullable(), variants }).meta({
  id: 'AddDependency',
  description: 'Variants count only if the parent must be on. Unknown properties are dropped.',
  examples: [EXAMPLE],
});

/** Only members with a meaning are stored. */
export function dependencyOf({ feature, enabled, variants }: z.infer<typeof dependencyBody>): Dependency {
  if (enabled === false) return { feature, enabled };
  return { feature, ...(variants && variants.length > 0 && { variants }) };
}

/** Names of variants. */
export const wireParentVariants = z.array(z.string()).meta({ id: 'ParentVariants', examples: [['blue']] });

export const wireHasDependencies = z.boolean().meta({ id: 'HasDependencies', examples: [true] });

/** The names of flags that can become parents. */
export const wireParents = z.array(z.string()).meta({ id: 'Parents', examples: [[EXAMPLE.feature]] });
