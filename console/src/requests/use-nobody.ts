/** Whether the caller is no person, who could ask for approval or decide. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { meQuery } from '../queries.ts';

type Via = Schemas['Me']['via'];

/** Anybody may have these. */
const OF_NOBODY: readonly Via[] = ['anonymous', 'bootstrap-token', 'api-token'];

/** Undefined until it is known. */
export function useNobody(): boolean | undefined {
  const { data: me } = useQuery(meQuery);
  return me && OF_NOBODY.includes(me.via);
}
