/** Turns a write that needs approval into a change request, if the caller wants that. */
import { askForChange, withContext } from '../../actions/change-requests.ts';
import { isRefusal } from '../../errors.ts';
import { presentChangeRequest } from '../../wire/admin/change-request.ts';
import type { RouteServices } from './route.ts';

interface AskingIfNeeded {
  readonly reason: string | undefined;
  readonly dryRun: boolean;
  /** Whether the caller wants a change request. */
  readonly isAsked: boolean;
}

type Handled = { readonly result: unknown } | { readonly asked: object };

export async function orAskForChange(
  services: RouteServices,
  { isAsked, reason, dryRun }: AskingIfNeeded,
  handle: () => Promise<unknown>,
): Promise<Handled> {
  if (!isAsked) return { result: await handle() };
  try {
    return { result: await handle() };
  } catch (error) {
    if (!isRefusal(error, 'approval-required') || !error.toApprove) throw error;
    const request = await askForChange(services, { change: error.toApprove, reason, dryRun });
    return { asked: presentChangeRequest(withContext(services, request)) };
  }
}
