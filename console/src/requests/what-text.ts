/** What a change request asks for in an environment, in a few words. */
import type { Schemas } from '../api.generated.ts';
import { isSame } from '../editor/draft/is-same.ts';

type FlagValues = Extract<Schemas['ChangeRequest']['wanted'], { readonly archived: boolean }>;
type EnvironmentValues = Readonly<Record<string, unknown>>;

/** Such as "switch on and change strategies". */
export function whatText(
  { present, wanted }: Pick<Schemas['ChangeRequest'], 'present' | 'wanted'>,
  environment: string,
): string {
  if (!present) return 'change a flag that is gone';
  return 'archived' in present && 'archived' in wanted
    ? changesText(present, wanted, environment)
    : 'change constraints';
}

function changesText(present: FlagValues, wanted: FlagValues, environment: string): string {
  const shared = (['variants', 'dependencies'] as const).filter((name) => !isSame(present[name], wanted[name]));
  const [before, after] = [entryOf(present, environment), entryOf(wanted, environment)];
  const own = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => {
    return name !== 'enabled' && !isSame(before[name], after[name]);
  });
  const changed = [...new Set([...own, ...shared])];
  const parts = [
    ...(present.archived === wanted.archived ? [] : [wanted.archived ? 'archive' : 'revive']),
    ...(isOn(before) === isOn(after) ? [] : [isOn(after) ? 'switch on' : 'switch off']),
    ...(changed.length > 0 ? [`change ${changed.join(', ')}`] : []),
  ];
  return parts.length > 0 ? parts.join(' and ') : 'change nothing here';
}

function entryOf({ environments }: FlagValues, environment: string): EnvironmentValues {
  return (environments[environment] ?? {}) as EnvironmentValues;
}

function isOn({ enabled }: EnvironmentValues): boolean {
  return enabled === true;
}
