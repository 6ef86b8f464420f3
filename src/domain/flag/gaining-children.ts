/** Children that go on when their parent goes off: a change that takes a flag away from users can give them another. */
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import { wireNameOf } from '../identity/names.ts';
import { dependenciesOf } from './dependencies.ts';
import { strategiesOf } from './flag-values.ts';

/** `off`: the flag goes off. `strategy`: it stays on, with fewer strategies, so users may get another variant. */
export type Taken = 'off' | 'strategy';

/** Undefined: users keep what they have. */
export function takenBetween(before: FlagEnvironment, after: FlagEnvironment): Taken | undefined {
  if (before.enabled !== true) return undefined;
  if (after.enabled !== true) return 'off';
  const disabled = (environment: FlagEnvironment) =>
    strategiesOf(environment).filter(({ strategy }) => strategy.disabled).length;
  return disabled(after) > disabled(before) ? 'strategy' : undefined;
}

/** The names of children that ask for the flag to be off, or for one of its variants. */
export function gainingChildren(
  parent: FeatureFlag,
  childrenOnThere: readonly FeatureFlag[],
  taken: Taken,
): readonly string[] {
  const name = wireNameOf(parent);
  const gains = (child: FeatureFlag) =>
    dependenciesOf(child).some(
      ({ feature, enabled, variants }) =>
        feature === name && (enabled === false || (taken === 'strategy' && (variants ?? []).length > 0)),
    );
  return childrenOnThere.filter(gains).map(wireNameOf).sort();
}

/** A sentence on why the change is refused. */
export function gainSentence(children: readonly string[]): string {
  const [first, ...more] = children;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `The change could switch on "${first}"${others}, which depends on this flag being off or on a variant of it.`;
}
