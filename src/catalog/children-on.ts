/** The flags that a change of their parent may switch on or off. */
import { parentStateOf } from '../domain/flag/dependencies.ts';
import { effectOf, type FlagEffect } from '../domain/flag/effect.ts';
import { environmentOf, environmentsOf } from '../domain/flag/flag-values.ts';
import { workByEnvironment } from '../domain/flag/judge/evaluation-work.ts';
import { windowAt } from '../domain/flag/moments.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Catalog } from './catalog.ts';

type ChildLookups = Pick<Catalog, 'childrenOf' | 'effectOf' | 'flagContextOf' | 'now'>;

/** The flags that depend on the flag and are on in the environment, or will be when their window opens. */
export function childrenOn(
  catalog: Pick<ChildLookups, 'childrenOf' | 'effectOf' | 'now'>,
  flag: FeatureFlag,
  environment: string,
): readonly FeatureFlag[] {
  return catalog.childrenOf(flag).filter((child) => isOnIn(environment, child, catalog));
}

function isOnIn(
  environment: string,
  child: FeatureFlag,
  { effectOf: effectIn, now }: Pick<ChildLookups, 'effectOf' | 'now'>,
): boolean {
  const { enabledIn, outsideWindowIn } = effectIn(child);
  const opensLater = () => windowAt(environmentOf(child.spec, environment), now()) === 'Scheduled';
  return enabledIn.has(environment) || (outsideWindowIn.has(environment) && opensLater());
}

/** A child in an environment where it is on after a write of its parent, or will be when its window opens. */
interface ChildAfterWrite {
  readonly child: FeatureFlag;
  readonly environment: string;
  readonly wasOn: boolean;
}

/** `parent` is as the write leaves it, and may be new. */
export function childrenAfterWrite(catalog: ChildLookups, parent: FeatureFlag): readonly ChildAfterWrite[] {
  const state = parentStateOf(parent, workByEnvironment(parent, catalog.flagContextOf(parent).segments));
  const afterWrite = (child: FeatureFlag): FlagEffect => {
    const flagContext = catalog.flagContextOf(child);
    const parents = new Map(flagContext.parents).set(wireNameOf(parent), state);
    return effectOf(child, { ...flagContext, parents });
  };
  return catalog.childrenOf(parent).flatMap((child) =>
    environmentsOf(child)
      .map(([environment]) => environment)
      .filter((environment) => isOnIn(environment, child, { effectOf: afterWrite, now: catalog.now }))
      .map((environment) => ({ child, environment, wasOn: isOnIn(environment, child, catalog) })),
  );
}
