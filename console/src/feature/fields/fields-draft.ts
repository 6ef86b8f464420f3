/** The draft of the fields of a flag: from the stored flag to a form, and back. */
import { type FieldsBody, type FlagField, inputLabelOf } from './flag-field.ts';
import { flagFields } from './flag-fields.generated.ts';

/** Texts as they are typed; empty for a field without a value. */
export type FieldsDraft = Readonly<Record<string, string | boolean>>;

export function draftOfFields(flag: FieldsBody): FieldsDraft {
  return Object.fromEntries(
    flagFields.map(({ name, kind }) => [name, kind === 'boolean' ? flag[name] === true : `${flag[name] ?? ''}`]),
  );
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
