/** Shows that a page is waiting, or why it cannot read its content. */
import type { ReactNode } from 'react';
import { ApiError } from './api.ts';

interface LoadedProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.error) return <p className="waiting">Loading…</p>;
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
