/** Replaces a person in what the archive keeps of present objects beside their specs. */
import type { Forgetter } from '../../../domain/history/forgetter.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import { deletionKeys, stampKeys } from '../../../schema/stamp.ts';
import type { ForgettingStep, StepResult } from './forgetting-step.ts';

/** States may be as large as objects. */
const STATES_PER_STEP = 10;

/**
 * The spec stays as the cluster has it: the next version is compared with it. The rest is the state of the archive
 * alone, and no entry is derived from it.
 */
export async function forgetInStates({ db, forgetter, isDryRun }: ForgettingStep, from: string): Promise<StepResult> {
  const rows = await db
    .selectFrom('states')
    .select(['uid', 'object'])
    .where('uid', '>', from)
    .orderBy('uid')
    .limit(STATES_PER_STEP)
    .execute();
  for (const { uid, object } of rows) {
    await nextTurn();
    const before = JSON.parse(object) as JsonObject;
    const after = forgetInState(before, forgetter);
    if (after === before || isDryRun) continue;
    await db
      .updateTable('states')
      .set({ object: JSON.stringify(after) })
      .where('uid', '=', uid)
      .execute();
  }
  const last = rows.length < STATES_PER_STEP ? undefined : rows.at(-1);
  return { next: last?.uid, found: 0 };
}

function forgetInState(object: JsonObject, forgetter: Forgetter): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  const { annotations = {} } = metadata;
  const { status = null } = object;
  const kept = { annotations: forgetStamps(annotations as JsonObject, forgetter), status: forgetter.json(status) };
  if (kept.annotations === annotations && kept.status === status) return object;
  return {
    ...object,
    metadata: { ...metadata, annotations: kept.annotations },
    ...(status !== null && { status: kept.status }),
  };
}

/** The addresses of the calls of the person go with its name. */
function forgetStamps(annotations: JsonObject, { names, json }: Forgetter): JsonObject {
  const isOf = (key: string) => names(String(annotations[key] ?? ''));
  const addresses = [
    ...(isOf(stampKeys.by) ? [stampKeys.from] : []),
    ...(isOf(deletionKeys.by) ? [deletionKeys.from] : []),
  ].filter((key) => annotations[key]);
  const after = json<Json>(annotations) as JsonObject;
  return addresses.length === 0 ? after : { ...after, ...Object.fromEntries(addresses.map((key) => [key, ''])) };
}
