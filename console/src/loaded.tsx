/** Shows that a page is waiting, or why it cannot read its content. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
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
      {!isForbidden(query.error) && !isMissing(query.error) && (
        <button type="button" onClick={() => void query.refetch()}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Whether the object of the page does not exist. */
export function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

interface MissingProps {
  readonly what: string;
  /** Further ways on. */
  readonly children?: ReactNode;
}

export function Missing({ what, children }: MissingProps) {
  return (
    <p className="empty">
      There is no such object: {what}. <Link href="/">Go to the projects</Link>
      {children}
    </p>
  );
}

function isForbidden(error: Error): boolean {
  return error instanceof ApiError && error.status === 403;
}
