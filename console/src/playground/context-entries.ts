/** The context that a user enters, field by field. */
import { newKey } from '../editor/draft/keyed.ts';

export interface ContextEntry {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** A value that the form suggests; empty if it knows none. */
  readonly example: string;
}

export type ContextEntries = readonly ContextEntry[];

export function newEntry(name = ''): ContextEntry {
  return { key: newKey(), name, value: '', example: '' };
}

/** The fields that SDKs have by default; every other field is a property. */
const FIELDS: readonly string[] = ['userId', 'sessionId', 'remoteAddress', 'appName', 'currentTime'];

export function hasValue({ name, value }: ContextEntry): boolean {
  return name.trim() !== '' && value !== '';
}

/** Leaves out empty entries. */
export function contextOf(entries: ContextEntries): Readonly<Record<string, unknown>> {
  const given = entries.filter(hasValue).map(({ name, value }) => [name.trim(), value] as const);
  const isField = ([name]: readonly [string, string]) => FIELDS.includes(name);
  return {
    ...Object.fromEntries(given.filter(isField)),
    properties: Object.fromEntries(given.filter((one) => !isField(one))),
  };
}
