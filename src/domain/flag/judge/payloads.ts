/** Payloads of variants: text that clients read as its type says. */

import { parseDecimal } from '../../../evaluation/operand.ts';
import { readJson } from '../../../model/json.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import type { Payload, Variant } from '../../../schema/variant.ts';
import type { Finding } from '../../judgement/findings.ts';
import { environmentsOf, strategiesOf } from '../flag-values.ts';

/** Whether clients can read the value as its type (docs/unleash-compatibility.md#variants). CEL cannot check it. */
export function isReadable({ type, value }: Payload): boolean {
  if (type === 'number') return Number.isFinite(parseDecimal(value.trim()) ?? Number.NaN);
  return type !== 'json' || readJson(value) !== undefined;
}

/** Whether a variant of the flag, in any place, has this payload. */
export function hasPayload(flag: FeatureFlag, { type, value }: Payload): boolean {
  const isIn = (variants: readonly Variant[] | null | undefined) =>
    (variants ?? []).some(({ payload }) => payload?.type === type && payload.value === value);
  const inPlaces = environmentsOf(flag).some(
    ([, environment]) =>
      isIn(environment.variants) || strategiesOf(environment).some(({ strategy }) => isIn(strategy.variants)),
  );
  return inPlaces || isIn(flag.spec.variants);
}

export function unreadablePayloads(flag: FeatureFlag): readonly Finding[] {
  const ofEnvironments = environmentsOf(flag).flatMap(([name, environment]) => [
    ...unreadableIn(['environments', name, 'variants'], environment.variants),
    ...strategiesOf(environment).flatMap(({ key, strategy }) =>
      unreadableIn(['environments', name, 'strategies', key, 'variants'], strategy.variants),
    ),
  ]);
  return [...unreadableIn(['variants'], flag.spec.variants), ...ofEnvironments];
}

function unreadableIn(place: readonly string[], variants: readonly Variant[] | null | undefined): readonly Finding[] {
  return (variants ?? []).flatMap(({ name, payload }, index): Finding[] => {
    if (!payload || isReadable(payload)) return [];
    const message = `the payload of variant "${name}" is not of its type, ${payload.type}: mend the value or choose another type`;
    return [{ severity: 'Warning', path: [...place, `${index}`, 'payload'], reason: 'UnreadablePayload', message }];
  });
}
