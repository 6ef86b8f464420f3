/** Asks the API what each step of a plan would change. */
import { ApiError } from '../../api.ts';
import type { Base, Plan, Preview, Step } from './plan.ts';

export interface Previews {
  readonly base: Base;
  readonly steps: readonly Preview[];
}

/** Each step is tried on the present state by itself, so the steps of a plan must not build on one another. */
export async function previewsOf({ readBase }: Plan, steps: readonly Step[]): Promise<Previews> {
  const base = await readBase();
  return { base, steps: await Promise.all(steps.map((step) => previewOf(step, base.etag))) };
}

async function previewOf(step: Step, etag: string): Promise<Preview> {
  try {
    return { step, after: (await step.send({ dryRun: true, etag })).text, refusal: undefined };
  } catch (error) {
    // The state has changed since it was read, so the caller reads it again.
    if (!(error instanceof ApiError) || error.status === 412) throw error;
    if (!isOwned(error)) return { step, after: undefined, refusal: error };
    return { step, after: (await step.send({ dryRun: true, force: true, etag })).text, refusal: error };
  }
}

export function isOwned({ body }: ApiError): boolean {
  return body?.name === 'FieldManagedError';
}
