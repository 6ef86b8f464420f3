/** Children that go on by a change of their parent: what takes a flag away from users can give them another. */
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import { wireNameOf } from '../identity/names.ts';
import { dependenciesOf } from './dependencies.ts';
import { strategiesOf } from './flag-values.ts';

/**
 * `off`: the flag goes or stays off. `strategy`: it stays on, with fewer strategies, so users may get another variant.
 * `on`: the flag is on, and the child begins to follow it.
 */
export type ParentChange = 'off' | 'strategy' | 'on';

/** Undefined: users keep what they have. */
export function takenBetween(before: FlagEnvironment, after: FlagEnvironment): ParentChange | undefined {
  if (before.enabled !== true) return undefined;
  if (after.enabled !== true) return 'off';
  const disabled = (environment: FlagEnvironment) =>
    strategiesOf(environment).filter(({ strategy }) => strategy.disabled).length;
  return disabled(after) > disabled(before) ? 'strategy' : undefined;
}

/** Whether the change of the parent may switch on the child for users, if nothing but its parents keeps it off. */
export function isGaining(child: FeatureFlag, parent: FeatureFlag, change: ParentChange): boolean {
  const name = wireNameOf(parent);
  return dependenciesOf(child).some(
    ({ feature, enabled, variants }) =>
      feature === name &&
      (enabled === false || change === 'on' || (change === 'strategy' && (variants ?? []).length > 0)),
  );
}

/** A sentence on why the change is refused. */
export function gainSentence(children: readonly FeatureFlag[]): string {
  const [first, ...more] = children.map(wireNameOf).sort();
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `The change could switch on "${first}"${others}, which depends on this flag.`;
}
