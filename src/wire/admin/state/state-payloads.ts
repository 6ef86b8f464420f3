/** Refuses payloads of a state document that clients cannot read as their type says, unless the flag has them. */
import { isReadable } from '../../../domain/flag/judge/payloads.ts';
import type { Complaints } from '../../../model/complaints.ts';
import type { Payload, Variant } from '../../../schema/variant.ts';
import { READABLE } from '../flag/variant-input.ts';
import type { StateDocument } from './state-input.ts';
import { eachRow, type Pause } from './state-rows.ts';

/** Whether the flag of this name has the payload now: then an export has it, too, and is imported unchanged. */
export type HasPayload = (flag: string, payload: Payload) => boolean;

interface Checking {
  readonly complaints: Complaints;
  readonly hasPayload: HasPayload;
  readonly pause: Pause;
}

export async function refuseUnreadablePayloads(
  { features, featureEnvironments, featureStrategies }: StateDocument,
  { complaints, hasPayload, pause }: Checking,
): Promise<void> {
  const check = (at: readonly string[], flag: string, variants: readonly Variant[] | null | undefined) => {
    for (const [index, { payload }] of (variants ?? []).entries()) {
      if (!payload || isReadable(payload) || hasPayload(flag, payload)) continue;
      const keys = [...at, 'variants', `${index}`, 'payload', 'value'];
      complaints.add(keys, `is not valid: ${READABLE}.`, JSON.stringify(payload.value.slice(0, MAX_SHOWN)));
    }
  };
  await eachRow(features, pause, ({ name, variants, strategies }, index) => {
    const at = ['features', `${index}`];
    check(at, name, variants);
    for (const [place, one] of (strategies ?? []).entries())
      check([...at, 'strategies', `${place}`], name, one.variants);
  });
  for (const [section, rows] of Object.entries({ featureEnvironments, featureStrategies })) {
    await eachRow<RowOfFlag>(rows, pause, ({ featureName, variants }, index) => {
      check([section, `${index}`], featureName, variants);
    });
  }
}

interface RowOfFlag {
  readonly featureName: string;
  readonly variants?: readonly Variant[] | null | undefined;
}

const MAX_SHOWN = 100;
