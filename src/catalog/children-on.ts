/** The flags that a change of their parent may switch on or off. */
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Catalog } from './catalog.ts';

/** The flags that depend on the flag and are on in the environment. */
export function childrenOn(
  catalog: Pick<Catalog, 'childrenOf' | 'effectOf'>,
  flag: FeatureFlag,
  environment: string,
): readonly FeatureFlag[] {
  return catalog.childrenOf(flag).filter((child) => catalog.effectOf(child).enabledIn.has(environment));
}
