/** What a page shows while it waits, or when it cannot read. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from './api.ts';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) return <p className="waiting">Loading…</p>;
  return (
    <div className="failure" role="alert">
      <p>{query.error.message}</p>
      {!isForbidden(query.error) && (
        <button type="button" onClick={() => void query.refetch()}>
          Try again
        </button>
      )}
    </div>
  );
}

function isForbidden(error: Error): boolean {
  return error instanceof ApiError && error.status === 403;
}
