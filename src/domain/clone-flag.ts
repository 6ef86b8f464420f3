/** A new flag from an old one. */
import type { FlagEnvironment, FlagSpec } from '../schema/feature-flag.ts';
import { environmentsWith } from './edit-flag.ts';
import { isUuid } from './strategy-id.ts';

/**
 * Everything but name and project: copies metadata, tags, variants and strategies; not stale, not archived, off everywhere (product §10). A strategy
 * whose key is a UUID gets a new one from `newId`; a key that someone chose stays, as its id on the wire follows
 * from the flag's name.
 */
export function cloneSpec(source: FlagSpec, newId: () => string): FlagSpec {
  const {
    name: _name,
    project: _project,
    stale: _stale,
    archived: _archived,
    environments: _environments,
    ...kept
  } = source;
  const copyOf = (environment: FlagEnvironment) => withNewIds(withoutSwitch(environment), newId);
  return { ...kept, ...environmentsWith(source, copyOf) };
}

function withoutSwitch({ enabled: _, ...rest }: FlagEnvironment): FlagEnvironment {
  return rest;
}

function withNewIds(environment: FlagEnvironment, newId: () => string): FlagEnvironment {
  if (!environment.strategies) return environment;
  const copies = Object.entries(environment.strategies).map(([key, strategy]) => [
    isUuid(key) ? newId() : key,
    strategy,
  ]);
  return { ...environment, strategies: Object.fromEntries(copies) };
}
