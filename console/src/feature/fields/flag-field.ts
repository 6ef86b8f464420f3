/** A field of a flag that holds in all environments, and its words. */
import type { Schemas } from '../../api.generated.ts';

export type FieldsBody = Omit<Schemas['UpdateFeature'], 'name'>;

/** A row of the table that `npm run generate` makes of the OpenAPI document. */
export type FlagField = {
  readonly name: keyof FieldsBody;
  /** What the API says about the field. */
  readonly hint: string;
} & (
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'boolean' }
);

interface Words {
  readonly label: string;
  /** The label of the input, if it says more. */
  readonly input?: string;
}

/** The words of fields whose names do not say enough. */
const WORDS: Readonly<Record<string, Words>> = {
  stale: { label: 'Stale', input: 'Stale: it can be removed from the code' },
  impressionData: { label: 'Impression data', input: 'Impression data: SDKs emit an event for each evaluation' },
  lifetimeDays: { label: 'Lifetime', input: 'Lifetime in days' },
};

export function labelOf(name: string): string {
  return WORDS[name]?.label ?? wordsOf(name);
}

export function inputLabelOf(name: string): string {
  return WORDS[name]?.input ?? labelOf(name);
}

/** `costCentre` is "Cost centre". */
function wordsOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
