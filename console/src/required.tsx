/** A page with a form that only users who may send it can see. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { permissionsQuery } from './queries.ts';

interface RequiredProps {
  readonly title: string;
  /** The endpoint as the permissions of a user list it, outside projects. */
  readonly endpoint: string;
  readonly children: ReactNode;
}

export function Required({ title, endpoint, children }: RequiredProps) {
  const { data: allowed } = useQuery(permissionsQuery());
  if (allowed?.has(endpoint)) return children;
  return (
    <Page title={title}>
      <p className={allowed ? 'empty' : 'waiting'}>
        {allowed ? 'You do not have the permission for this page.' : 'Loading…'}
      </p>
    </Page>
  );
}
