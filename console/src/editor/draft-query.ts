/** What editors read: once, as the user works on what was read. */

/** The first part of the keys. */
export const DRAFT = 'draft';

export const READ_ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  /** Changes that are announced do not read it again. */
  meta: { isStanding: true },
} as const;
