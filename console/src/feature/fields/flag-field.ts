/** A field of a flag that holds in all environments, and its way from the stored flag to a form and back. */
import type { Schemas } from '../../api.generated.ts';
import { flagFields } from './flag-fields.generated.ts';

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

/** Texts as they are typed; empty for a field without a value. */
export type FieldsDraft = Readonly<Record<string, string | boolean>>;

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

export function draftOfFields(flag: FieldsBody): FieldsDraft {
  return Object.fromEntries(flagFields.map((field) => [field.name, draftOf(field, flag[field.name])]));
}

function draftOf(field: FlagField, value: FieldsBody[keyof FieldsBody]): string | boolean {
  if (field.kind === 'boolean') return value === true;
  const none = field.kind === 'choice' ? field.choices[0] : '';
  return `${value ?? none}`;
}

/** Every field; null removes it. */
export function bodyOfFields(draft: FieldsDraft): FieldsBody {
  return Object.fromEntries(flagFields.map(({ name, kind }) => [name, sentAs(kind, draft[name])]));
}

function sentAs(kind: FlagField['kind'], value: string | boolean | undefined): string | number | boolean | null {
  if (typeof value === 'boolean') return value;
  const text = kind === 'integer' ? value?.trim() : value;
  if (!text) return null;
  return kind === 'integer' ? Number(text) : text;
}

/** The fields of a state of the past, all of them: null for one that the flag had no value of. */
export function bodyOfState(state: FieldsBody): FieldsBody {
  return Object.fromEntries(flagFields.map(({ name }) => [name, state[name] ?? null]));
}

/** Returns why a draft cannot be sent, or undefined. */
export function problemOfFields(draft: FieldsDraft): string | undefined {
  for (const field of flagFields) {
    if (field.kind !== 'integer') continue;
    const text = `${draft[field.name]}`.trim();
    const isRight = /^\d+$/.test(text) && Number(text) >= field.minimum && Number(text) <= field.maximum;
    if (text !== '' && !isRight) {
      return `${inputLabelOf(field.name)}: a whole number from ${field.minimum} to ${field.maximum}, or empty.`;
    }
  }
  return undefined;
}
