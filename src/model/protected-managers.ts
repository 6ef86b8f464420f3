/** The setting that names the field managers that are protected. */
import { z } from 'zod';

/** The protected managers unless a setting names others. */
export const DEFAULT_PROTECTED_MANAGERS: readonly string[] = [
  ...['argocd-controller', 'argocd-application-controller'],
  ...['kustomize-controller', 'helm-controller', 'helm'],
  ...['fleetagent', 'fleet-agent', 'configsync*', 'configmanagement*'],
  '@apply',
];

/** At most three `*`, because each one slows down matching. */
const managerName = z
  .string()
  .regex(/^[^\s*]*(\*[^\s*]*){0,3}$/)
  .min(1)
  .max(128);

/** In text form: names separated by commas, or `none`. */
export const protectedManagers = z.union([
  z.literal('none').transform((): string[] => []),
  z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(managerName).max(100)),
]);
