/** Finds the freeze that a change in an environment would bypass. */
import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../queries.ts';
import { useAllowed } from '../use-allowed.ts';
import { BYPASS_FREEZE, type Bypass } from '../write/bypass.ts';

/** Returns undefined if no freeze is in force, or the user may not bypass it. */
export function useBypass(projectId: string, environment: string | undefined): Bypass | undefined {
  const { data: environments = [] } = useQuery(environmentsQuery(projectId));
  const mayBypass = useAllowed(projectId, environment)(BYPASS_FREEZE);
  const { displayName: label = '', freeze } = environments.find(({ name }) => name === environment) ?? {};
  return freeze && mayBypass ? { label, freeze } : undefined;
}
