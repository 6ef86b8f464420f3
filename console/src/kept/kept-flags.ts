/** The favourites of a user, and the flags that the user opened last. */
import { useEffect } from 'react';
import { hasTexts, useKept } from './kept-list.ts';

export interface KeptFlag {
  readonly project: string;
  readonly name: string;
}

/** The search takes so many names. */
const MAX_FAVOURITES = 100;
const MAX_RECENT = 8;

const isFlag = (value: unknown): value is KeptFlag => hasTexts(value, ['project', 'name']);
const FAVOURITES = { name: 'favourites', isItem: isFlag };
const RECENT = { name: 'recent', isItem: isFlag };

function without(list: readonly KeptFlag[], { project, name }: KeptFlag): readonly KeptFlag[] {
  return list.filter((one) => one.project !== project || one.name !== name);
}

export function useFavourites() {
  const [list, change] = useKept(FAVOURITES);
  const has = (flag: KeptFlag) => without(list, flag).length < list.length;
  const toggle = ({ project, name }: KeptFlag) =>
    change((before) => {
      const others = without(before, { project, name });
      return others.length < before.length ? others : [{ project, name }, ...others].slice(0, MAX_FAVOURITES);
    });
  return { list, has, toggle };
}

export function useRecentFlags(): readonly KeptFlag[] {
  return useKept(RECENT)[0];
}

/** Puts the flag first among the recent ones, once it is known to exist. */
export function useRecording({ project, name }: KeptFlag, exists: boolean): void {
  const change = useKept(RECENT)[1];
  useEffect(() => {
    if (exists) change((list) => [{ project, name }, ...without(list, { project, name })].slice(0, MAX_RECENT));
  }, [change, project, name, exists]);
}
