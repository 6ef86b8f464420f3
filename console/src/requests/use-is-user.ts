/** Whether the caller is a user, who can ask for approval and decide. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { meQuery } from '../queries.ts';

type SessionVia = Schemas['Me']['via'];

/** Several people may use one token. */
const WITHOUT_USER: readonly SessionVia[] = ['anonymous', 'bootstrap-token', 'api-token'];

/** True until it is known. */
export function useIsUser(): boolean {
  const { data: me } = useQuery(meQuery);
  return !me || !WITHOUT_USER.includes(me.via);
}
