/** The answer of OFREP for one flag, as JSON text. */
import type { ClientFeature } from '../../evaluation/client-document.ts';
import type { Evaluation } from '../../evaluation/why.ts';
import { openFeatureReason } from './reason.ts';
import { valueText } from './value.ts';

/** Made as text, because a number must keep the digits of its payload. */
export function ofrepAnswerText(feature: ClientFeature, evaluation: Evaluation, environment: string): string {
  const { name: key, project, stale } = feature;
  const { enabled, variant } = evaluation;
  const value = valueText(feature, evaluation);
  const members = {
    key,
    reason: openFeatureReason(feature, evaluation),
    variant: variant?.name ?? (enabled ? 'enabled' : 'disabled'),
    metadata: { enabled, environment, project, stale },
  };
  const text = JSON.stringify(members);
  return value === undefined ? text : `${text.slice(0, -1)},"value":${value}}`;
}

type Given = Readonly<Record<string, unknown>>;

/** `environment` is that of the token. OFREP has no `properties`: a member of that name is an ordinary value. */
export function ofrepContext({ targetingKey, properties, ...given }: Given, environment: string): Given {
  return { userId: targetingKey, ...given, properties: { targetingKey, properties }, environment };
}
