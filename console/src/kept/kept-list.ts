/** Lists that this browser keeps for a user. Nothing else reads them, and the API does not know them. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { prefix } from '../api.ts';
import { meQuery } from '../queries.ts';

const listeners = new Set<() => void>();

/** Other tabs announce their changes with an event. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** Users of one browser have lists of their own. */
function keyOf(user: string, list: string): string {
  return `vexil ${prefix} ${user} ${list}`;
}

/** A browser may forbid to keep anything. */
function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The list stays as it is.
  }
  for (const listener of listeners) listener();
}

/** Leaves out what has another shape: an earlier version, or a person, may have written the list. */
function parsed<T>(text: string, isItem: (value: unknown) => value is T): readonly T[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isItem) : [];
  } catch {
    return [];
  }
}

interface KeptParts<T> {
  readonly name: string;
  readonly isItem: (value: unknown) => value is T;
}

/** Returns the list, and a function that replaces it. */
export function useKept<T>({ name, isItem }: KeptParts<T>) {
  const { data: me } = useQuery(meQuery);
  // Until the user is known, the list is empty and stays as it is.
  const key = me && keyOf(me.username, name);
  const text = useSyncExternalStore(subscribe, () => (key === undefined ? '' : read(key)));
  const change = useCallback(
    (edit: (list: readonly T[]) => readonly T[]) => {
      if (key !== undefined) write(key, JSON.stringify(edit(parsed(read(key), isItem))));
    },
    [key, isItem],
  );
  return [parsed(text, isItem), change] as const;
}

export function hasTexts<K extends string>(value: unknown, keys: readonly K[]): value is Readonly<Record<K, string>> {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return keys.every((key) => typeof members[key] === 'string');
}
