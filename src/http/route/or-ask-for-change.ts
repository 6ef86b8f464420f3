/** Turns a write that needs approval into a change request, if the caller wants that. */
import { askForChange, withContext } from '../../actions/change-requests.ts';
import { isRefusal, Refusal } from '../../errors.ts';
import { isRecord } from '../../model/json.ts';
import { presentChangeRequest } from '../../wire/admin/change-request.ts';
import type { RouteServices } from './route.ts';

interface AskingIfNeeded {
  readonly reason: string | undefined;
  readonly dryRun: boolean;
  /** The parameters in the path of the endpoint. */
  readonly params: unknown;
  /** Whether the caller wants a change request. */
  readonly isAsked: boolean;
}

type Handled = { readonly result: unknown } | { readonly asked: object };

export async function orAskForChange(
  services: RouteServices,
  { isAsked, reason, dryRun, params }: AskingIfNeeded,
  handle: () => Promise<unknown>,
): Promise<Handled> {
  if (!isAsked) return { result: await handle() };
  if (!isRecord(params) || !('featureName' in params)) {
    throw new Refusal(
      'invalid',
      'The query parameter "changeRequest" is only for changes of one flag. Leave it out, or change the flags one by one.',
    );
  }
  try {
    return { result: await handle() };
  } catch (error) {
    if (!isRefusal(error, 'approval-required') || !error.toApprove) throw error;
    const request = await askForChange(services, { change: error.toApprove, reason, dryRun });
    return { asked: presentChangeRequest(withContext(services, request)) };
  }
}
