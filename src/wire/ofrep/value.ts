/** The value of a flag for OpenFeature, as JSON text (ADR 42). */
import type { ClientFeature, ClientPayload } from '../../evaluation/client-document.ts';
import { parseDecimal } from '../../evaluation/operand.ts';
import type { Evaluation } from '../../evaluation/why.ts';

/** Whether the value of the flag is that of a payload instead of a boolean. */
function hasPayloads({ strategies, variants }: ClientFeature): boolean {
  return [variants, ...strategies.map((strategy) => strategy.variants)].flat().some(({ payload }) => payload);
}

/** Undefined: the default of the application applies. */
export function valueText(feature: ClientFeature, { enabled, variant }: Evaluation): string | undefined {
  if (!hasPayloads(feature)) return `${enabled}`;
  return variant?.payload && payloadText(variant.payload);
}

function payloadText({ type, value }: ClientPayload): string | undefined {
  if (type === 'number') return numberText(value.trim());
  return type === 'json' ? jsonText(value.trim()) : JSON.stringify(value);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:[.]\d+)?(?:[eE][-+]?\d+)?$/;

/** The number as written: `5.0` is a float for programs that distinguish floats from integers. */
function numberText(value: string): string | undefined {
  const number = parseDecimal(value);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  return JSON_NUMBER.test(value) ? value : `${number}`;
}

function jsonText(value: string): string | undefined {
  try {
    return JSON.parse(value) === null ? undefined : value;
  } catch {
    return undefined;
  }
}
