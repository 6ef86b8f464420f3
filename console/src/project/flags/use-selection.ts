/** The flags of a list that the user has selected. */
import { useEffect, useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { useAllowed, useEnvironmentsAllowing } from '../../use-allowed.ts';
import { BULK_ENDPOINTS } from './bulk-paths.ts';

const NONE: ReadonlySet<string> = new Set();
/** The API changes so many flags in one call. */
export const MAX_SELECTED = 500;

export function useSelection<F extends { readonly name: string }>(
  projectId: string,
  environments: readonly Schemas['ProjectEnvironment'][],
  features: readonly F[],
) {
  const isAllowed = useAllowed(projectId);
  const [selected, setSelected] = useState(NONE);
  /** The number of flags to select as soon as the list shows them; 0: none. */
  const [awaited, setAwaited] = useState(0);
  const names = features.slice(0, MAX_SELECTED).map(({ name }) => name);
  useEffect(() => {
    if (awaited === 0 || names.length < awaited) return;
    setSelected(new Set(names));
    setAwaited(0);
  }, [awaited, names]);
  const replace = (next: Iterable<string>) => {
    setSelected(new Set(next));
    setAwaited(0);
  };
  const has = (name: string) => selected.has(name);
  // Flags that are not shown any more are not selected.
  const chosen = features.filter(({ name }) => has(name));
  const shown = chosen.map(({ name }) => name);
  const switchable = useEnvironmentsAllowing(projectId, environments, BULK_ENDPOINTS.switches) ?? [];
  const { stale, archive, tags } = BULK_ENDPOINTS;
  return {
    /** The environments in which the user may switch several flags. */
    switchable,
    /** Whether there is anything that the user may do with several flags. */
    selectable: switchable.length > 0 || [stale, archive, tags].some(isAllowed),
    chosen,
    has,
    select: (name: string, isSelected: boolean) =>
      replace(isSelected ? [...shown, name] : shown.filter((one) => one !== name)),
    clear: () => replace([]),
    selectShown: () => replace(names),
    /** Selects this many flags when the list has become longer. */
    selectLater: setAwaited,
  };
}
