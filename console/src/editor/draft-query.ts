/** The options of queries that editors read once, because the user works on the result. */

/** The first part of the query keys. */
export const DRAFT = 'draft';

export const READ_ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  /** Announced changes do not read the query again. */
  meta: { isStanding: true },
} as const;
