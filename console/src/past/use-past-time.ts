/** Reads the past time of a page from its address, and writes it there. */
import { createContext } from 'react';
import { useSearchParams } from 'wouter';
import { type PastTime, pastIn, pastQuery } from './past-time.ts';

/** Whether a part of the page shows a past time: nothing can be changed there. */
export const IsPast = createContext(false);

/** The rest of the address stays, except for what is chosen in lists. */
export function usePastTime() {
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab');
  return {
    past: pastIn(search),
    show: (next: PastTime | undefined) => setSearch({ ...(tab !== null && { tab }), ...pastQuery(next) }),
  };
}
