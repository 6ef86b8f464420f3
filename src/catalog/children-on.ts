/** The flags that a change of their parent may switch on or off. */
import { environmentOf } from '../domain/flag/flag-values.ts';
import { windowAt } from '../domain/flag/moments.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Catalog } from './catalog.ts';

/** The flags that depend on the flag and are on in the environment, or will be when their window opens. */
export function childrenOn(
  catalog: Pick<Catalog, 'childrenOf' | 'effectOf' | 'now'>,
  flag: FeatureFlag,
  environment: string,
): readonly FeatureFlag[] {
  return catalog.childrenOf(flag).filter((child) => {
    const { enabledIn, outsideWindowIn } = catalog.effectOf(child);
    const opensLater = () => windowAt(environmentOf(child.spec, environment), catalog.now()) === 'Scheduled';
    return enabledIn.has(environment) || (outsideWindowIn.has(environment) && opensLater());
  });
}
